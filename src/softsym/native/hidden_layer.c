/* A hidden layer, forward and backward: h = x + scale W(x) x, then gates. README.md has the formulas.

   Samples are taken in chunks of about 64. A chunk is stored as rows: one row for each coordinate, with one number for each sample. All
   loops over samples then are over contiguous numbers, whatever the sizes of the representation are, and what a chunk needs stays in the
   nearest caches. Each term of W(x) x is a weight matrix and a contraction, in either order. A contraction is one factor of the form
       sum over i, r, j of  z(i, r) left(i, j) right(r, j)
   and its gradients are the other two, so contract() serves forward and backward pass. Offsets come in tables, made once for a layer.

   Compiled once for float and, with -DDOUBLE, once for double; without OpenMP where the compiler has none, and then on one thread. */

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef _OPENMP
int omp_get_thread_num(void);
const int64_t threaded = 1;
#else
static int omp_get_thread_num(void) { return 0; }
const int64_t threaded = 0;
#endif

#ifdef DOUBLE
typedef double real;
#else
typedef float real;
#endif

#ifdef __AVX512F__
enum { BYTES = 64 };
#else
enum { BYTES = 32 };
#endif
enum { LANES = BYTES / sizeof(real), PADDING = 16 };
typedef real vector __attribute__((vector_size(BYTES), aligned(sizeof(real)), may_alias));
#define AT(place) (*(vector *)(place))

/* A term. `source`, `target` and `through` are the first rows of three types, `between` that of what lies between weight and contraction.
   The weight, (rows, columns) with rows `stride` numbers apart, begins at `start`; what it multiplies has copies of `width` coordinates.
   i, r and j have `lefts`, `rights` and `copies` values; the others are offsets of tables. */
typedef struct {
    int32_t source, target, through, between, weight_first, start, rows, columns, stride, width, lefts, rights, copies;
    int32_t z_left, z_right, left, left_copy, right, right_copy;
} Term;

/* A layer, followed by its terms and tables. `kept` and `work` are numbers of rows, `spare` is the first of `work` for add_outer(); the table
   `row` has the row of each coordinate, `gate` the gate of each value or -1. */
typedef struct {
    int32_t size, gates, values, terms, kept, work, spare, row, gate;
} Layer;

/* What Python must agree with; compared once, when the library is loaded. */
const int64_t layout[] = { sizeof(real), PADDING, sizeof(Term), sizeof(Layer) };
const int64_t layout_length = sizeof layout / sizeof *layout;

static inline const int32_t *table(const Layer *l, int32_t start) { return (const int32_t *)l + start; }

/* Carries out a statement for every tile of a matrix, with h and w its height and width as constants. */
#define TILE(H, W, ...) case 4 * H + W: { enum { h = H, w = W }; __VA_ARGS__; } break;
#define TILES(height, width, ...)                                                                                              \
    for (int x = 0; x < (height); x += 3)                                                                                      \
        for (int y = 0; y < (width); y += 4)                                                                                   \
            switch (4 * ((height) - x < 3 ? (height) - x : 3) + ((width) - y < 4 ? (width) - y : 4)) {                         \
                TILE(1, 1, __VA_ARGS__) TILE(1, 2, __VA_ARGS__) TILE(1, 3, __VA_ARGS__) TILE(1, 4, __VA_ARGS__)                \
                TILE(2, 1, __VA_ARGS__) TILE(2, 2, __VA_ARGS__) TILE(2, 3, __VA_ARGS__) TILE(2, 4, __VA_ARGS__)                \
                TILE(3, 1, __VA_ARGS__) TILE(3, 2, __VA_ARGS__) TILE(3, 3, __VA_ARGS__) TILE(3, 4, __VA_ARGS__)                \
            }

/* A matrix of rows: entry (i, j) is row first[i] + second[j]. */
typedef struct {
    real *rows;
    const int32_t *first, *second;
} Matrix;

/* out (+)= a b for each of n samples, for matrices (height, inner) and (inner, width). */
static void contract(int height, int width, int inner, Matrix out, Matrix a, Matrix b, int n, int adds) {
    TILES(height, width, for (int s = 0; s < n; s += LANES) {
        vector sum[h][w];
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++)
                sum[i][j] = adds ? AT(out.rows + (out.first[x + i] + out.second[y + j]) * n + s) : (vector){0};
        for (int k = 0; k < inner; k++)
            for (int i = 0; i < h; i++)
                for (int j = 0; j < w; j++)
                    sum[i][j] += AT(a.rows + (a.first[x + i] + a.second[k]) * n + s) * AT(b.rows + (b.first[k] + b.second[y + j]) * n + s);
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) AT(out.rows + (out.first[x + i] + out.second[y + j]) * n + s) = sum[i][j];
    })
}

/* out (+)= w in for a weight with entry (i, k) at i * down + k * across, and matrices of `width` numbers in a row. */
static void multiply(int height, int inner, int width, const real *weight, int down, int across, const real *in, real *out, int adds) {
    TILES(height, width / LANES, {
        vector sum[h][w];
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) sum[i][j] = adds ? AT(out + (x + i) * width + (y + j) * LANES) : (vector){0};
        for (int k = 0; k < inner; k++)
            for (int i = 0; i < h; i++)
                for (int j = 0; j < w; j++)
                    sum[i][j] += weight[(x + i) * down + k * across] * AT(in + k * width + (y + j) * LANES);
        for (int i = 0; i < h; i++)
            for (int j = 0; j < w; j++) AT(out + (x + i) * width + (y + j) * LANES) = sum[i][j];
    })
}

/* The gradient of a term's weight, w += out in^T, for matrices of `width` numbers in a row. */
static void add_outer(const Term *t, int width, const real *restrict out, const real *restrict in, real *restrict weight, real *restrict work) {
    const int columns = (t->columns + PADDING - 1) / PADDING * PADDING;
    for (int s = 0; s < width; s++)
        for (int k = 0; k < columns; k++) work[s * columns + k] = k < t->columns ? in[k * width + s] : 0;
    real *restrict sums = work + width * columns;
    multiply(t->rows, width, columns, out, width, 1, work, sums, 0);
    for (int i = 0; i < t->rows; i++)
        for (int k = 0; k < t->columns; k++) weight[i * t->stride + k] += sums[i * columns + k];
}

/* The three factors of a term's form: left (+)= z right, right (+)= z^T left, z += left right^T. */
static void find_left(const Layer *l, const Term *t, real *left, real *z, real *right, int n, int adds) {
    contract(t->lefts, t->copies, t->rights, (Matrix){ left, table(l, t->left), table(l, t->left_copy) },
             (Matrix){ z, table(l, t->z_left), table(l, t->z_right) }, (Matrix){ right, table(l, t->right), table(l, t->right_copy) }, n, adds);
}

static void find_right(const Layer *l, const Term *t, real *left, real *z, real *right, int n, int adds) {
    contract(t->rights, t->copies, t->lefts, (Matrix){ right, table(l, t->right), table(l, t->right_copy) },
             (Matrix){ z, table(l, t->z_right), table(l, t->z_left) }, (Matrix){ left, table(l, t->left), table(l, t->left_copy) }, n, adds);
}

static void add_z(const Layer *l, const Term *t, real *left, real *z, real *right, int n) {
    contract(t->lefts, t->rights, t->copies, (Matrix){ z, table(l, t->z_left), table(l, t->z_right) },
             (Matrix){ left, table(l, t->left), table(l, t->left_copy) }, (Matrix){ right, table(l, t->right_copy), table(l, t->right) }, n, 1);
}

static inline real sigmoid(real x) {
#ifdef DOUBLE
    return 1 / (1 + exp(-x));
#else
    /* exp(-x) = 2^n e^r with |r| <= ln 2 / 2, accurate to two units in the last place; the compiler makes vectors of it. */
    const float y = -x < -87.0f ? -87.0f : -x > 88.0f ? 88.0f : -x, n = rintf(y * 1.44269504f);
    const float r = (y - n * 0.693359375f) + n * 2.12194440e-4f; /* ln 2 in two parts */
    const float p = ((((((r / 5040 + 1.0f / 720) * r + 1.0f / 120) * r + 1.0f / 24) * r + 1.0f / 6) * r + 0.5f) * r + 1) * r + 1;
    const union { int32_t bits; float power; } two = { ((int32_t)n + 127) << 23 };
    return 1 / (1 + p * two.power);
#endif
}

static void open_gates(const Layer *l, const real *restrict h, int n, real *restrict opened) {
    const int32_t *row = table(l, l->row);
    for (int g = 0; g < l->gates; g++)
        for (int s = 0; s < n; s++) opened[g * n + s] = sigmoid(h[row[g] * n + s]);
}

/* out = weight * swish(h), plus h times the opened gate where there is one. */
static void gates_forward(const Layer *l, const real *restrict weight, const real *restrict h, int n, real *restrict opened,
                          real *restrict out) {
    const int32_t *row = table(l, l->row), *gate = table(l, l->gate);
    open_gates(l, h, n, opened);
    for (int c = 0; c < l->values; c++, out += n) {
        const real *restrict v = h + row[l->gates + c] * n, *restrict open = opened + gate[c] * n;
        for (int s = 0; s < n; s++) out[s] = weight[c] * v[s] * sigmoid(v[s]);
        for (int s = 0; s < n && gate[c] >= 0; s++) out[s] += v[s] * open[s];
    }
}

/* From the gradient of out, that of h; that of the weight is added to. */
static void gates_backward(const Layer *l, const real *restrict weight, const real *restrict h, const real *restrict grad, int n,
                           real *restrict opened, real *restrict d_h, real *restrict d_weight) {
    const int32_t *row = table(l, l->row), *gate = table(l, l->gate);
    open_gates(l, h, n, opened);
    for (int g = 0; g < l->gates; g++) memset(d_h + row[g] * n, 0, n * sizeof(real));
    for (int c = 0; c < l->values; c++, grad += n) {
        const real *restrict v = h + row[l->gates + c] * n, *restrict open = opened + gate[c] * n;
        real *restrict d = d_h + row[l->gates + c] * n, sum = 0;
        #pragma omp simd reduction(+ : sum)
        for (int s = 0; s < n; s++) {
            const real sig = sigmoid(v[s]), swish = v[s] * sig;
            d[s] = grad[s] * weight[c] * (sig + swish - swish * sig);
            sum += grad[s] * swish;
        }
        d_weight[c] += sum;
        if (gate[c] < 0) continue;
        real *restrict d_gate = d_h + row[gate[c]] * n;
        for (int s = 0; s < n; s++) d[s] += grad[s] * open[s], d_gate[s] += grad[s] * v[s] * open[s] * (1 - open[s]);
    }
}

/* A chunk of n samples. Rows kept for the backward pass: x, h, and what lies between weights and contractions. */
static void forward(const Layer *l, real scale, const real *weights, real *x, int n, real *opened, real *out) {
    real *h = x + l->size * n;
    memset(h, 0, l->size * n * sizeof(real));
    for (const Term *t = (const Term *)(l + 1), *last = t + l->terms; t < last; t++) {
        const real *weight = weights + t->start;
        real *z = x + t->through * n, *source = x + t->source * n, *target = h + t->target * n, *between = x + t->between * n;
        if (t->weight_first) {
            multiply(t->rows, t->columns, t->width * n, weight, t->stride, 1, source, between, 0);
            find_left(l, t, target, z, between, n, 1);
        } else {
            find_left(l, t, between, z, source, n, 0);
            multiply(t->rows, t->columns, t->width * n, weight, t->stride, 1, between, target, 1);
        }
    }
    for (int k = 0; k < l->size * n; k++) h[k] = x[k] + scale * h[k];
    gates_forward(l, weights, h, n, opened, out);
}

/* From the gradient of the result that of x, both in rows; those of weights are added to. */
static void backward(const Layer *l, real scale, const real *weights, real *x, const real *grad, int n, real *d_x, real *d_h, real *d_between,
                     real *spare, real *grads) {
    gates_backward(l, weights, x + l->size * n, grad, n, d_between, d_x, grads);
    for (int k = 0; k < l->size * n; k++) d_h[k] = scale * d_x[k];
    for (const Term *t = (const Term *)(l + 1), *last = t + l->terms; t < last; t++) {
        const real *weight = weights + t->start;
        real *z = x + t->through * n, *source = x + t->source * n, *between = x + t->between * n;
        real *d_z = d_x + t->through * n, *d_source = d_x + t->source * n, *d_target = d_h + t->target * n;
        if (t->weight_first) {
            find_right(l, t, d_target, z, d_between, n, 0);
            add_z(l, t, d_target, d_z, between, n);
            multiply(t->columns, t->rows, t->width * n, weight, 1, t->stride, d_between, d_source, 1);
            add_outer(t, t->width * n, d_between, source, grads + t->start, spare);
        } else {
            multiply(t->columns, t->rows, t->width * n, weight, 1, t->stride, d_target, d_between, 0);
            add_outer(t, t->width * n, d_target, between, grads + t->start, spare);
            find_right(l, t, d_between, z, d_source, n, 1);
            add_z(l, t, d_between, d_z, source, n);
        }
    }
}

/* Samples (count, width) to rows of n samples, filled up with zeros; and back. */
static void to_rows(const int32_t *row, int width, const real *restrict x, int count, int n, real *restrict rows) {
    for (int c = 0; c < width; c++)
        for (int s = 0; s < n; s++) rows[(row ? row[c] : c) * n + s] = s < count ? x[s * width + c] : 0;
}

static void from_rows(const int32_t *row, int width, const real *restrict rows, int count, int n, real *restrict x) {
    for (int c = 0; c < width; c++)
        for (int s = 0; s < count; s++) x[s * width + c] = rows[(row ? row[c] : c) * n + s];
}

/* x (batch, size) to out (batch, values) or, with `grads`, the gradient of out to that of x; `chunk` samples at a time. Each thread has
   its own `work` and its own `grads`, which are `count` numbers. */
void run(const Layer *l, double scale, const real *weights, real *x, real *out, real *kept, real *work, real *grads, int64_t count,
         int64_t batch, int32_t chunk, int32_t threads) {
    #pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t first = 0; first < batch; first += chunk) {
        const int thread = threads > 1 ? omp_get_thread_num() : 0, some = batch - first < chunk ? (int)(batch - first) : chunk;
        const int n = (some + PADDING - 1) / PADDING * PADDING;
        real *rows = kept + first * l->kept, *values = work + (int64_t)thread * l->work * chunk, *others = values + l->values * n;
        real *some_x = x + first * l->size, *some_out = out + first * l->values;
        if (!grads) {
            to_rows(table(l, l->row), l->size, some_x, some, n, rows);
            forward(l, scale, weights, rows, n, others, values);
            from_rows(NULL, l->values, values, some, n, some_out);
        } else {
            real *d_h = others + l->size * n, *d_between = d_h + l->size * n, *spare = values + l->spare * n;
            to_rows(NULL, l->values, some_out, some, n, values);
            backward(l, scale, weights, rows, values, n, others, d_h, d_between, spare, grads + thread * count);
            from_rows(table(l, l->row), l->size, others, some, n, some_x);
        }
    }
}
