/* A hidden layer, forward and backward: h = x + scale W(x) x, then gates. README.md has the formulas.

   Samples are taken in chunks of about 64. A chunk is stored as rows: one row for each coordinate, with one number for each sample. All
   loops over samples then are over contiguous numbers, whatever the sizes of the representation are, and what a chunk needs stays in the
   nearest caches. Each term of W(x) x is a weight matrix and a contraction, in either order. A contraction is one factor of the form
       sum over i, r, j of  z(i, r) left(i, j) right(r, j)
   and its gradients are the other two, so contract() serves forward and backward pass. Offsets come in tables, made once for a layer.

   Compiled once for float and, with -DDOUBLE, once for double; without OpenMP where the compiler has none, and then on one thread. */

#include <math.h>
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

enum { BYTES = __BIGGEST_ALIGNMENT__, LANES = BYTES / sizeof(real), PADDING = 16 }; /* of the longest vectors of this processor */
typedef real vector __attribute__((vector_size(BYTES), aligned(sizeof(real)), may_alias));
#define AT(place) (*(vector *)(place))

/* A term. `source`, `target` and `through` are the first rows of three types, `between` that of what lies between weight and contraction.
   The weight, (rows, columns) with rows `stride` numbers apart, begins at `start`; what it multiplies has copies of `width` coordinates.
   i, r and j have `lefts`, `rights` and `copies` values; the others are offsets of tables. */
typedef struct {
    int32_t source, target, through, between, weight_first, start, rows, columns, stride, width, lefts, rights, copies;
    int32_t z_left, z_right, left, left_copy, right, right_copy;
} Term;

/* A layer, followed by its terms and tables. `kept` and `work` are numbers of rows, `spare` is the first of `work` that holds no gradients; the table
   `row` has the row of each coordinate, `gate` the gate of each value or -1. There are `weights` weights in all. */
typedef struct { int32_t size, gates, values, terms, kept, work, spare, weights, row, gate; } Layer;

/* What Python must agree with; compared once, when the library is loaded. */
const int64_t layout[] = { sizeof(real), PADDING, sizeof(Term), sizeof(Layer) };
const int64_t layout_length = sizeof layout / sizeof *layout;

/* Runs a statement for every tile of a matrix, of at most 3 x 4 entries, with its height h and width w as constants of the compiler. */
#define TILE(H, W, ...) case 4 * H + W: { enum { h = H, w = W }; __VA_ARGS__; } break;
#define TILES_OF(H, ...) TILE(H, 1, __VA_ARGS__) TILE(H, 2, __VA_ARGS__) TILE(H, 3, __VA_ARGS__) TILE(H, 4, __VA_ARGS__)
#define TILES(height, width, ...)                                                                               \
    for (int x = 0; x < (height); x += 3)                                                                       \
        for (int y = 0; y < (width); y += 4)                                                                    \
            switch (4 * ((height) - x < 3 ? (height) - x : 3) + ((width) - y < 4 ? (width) - y : 4)) {          \
                TILES_OF(1, __VA_ARGS__) TILES_OF(2, __VA_ARGS__) TILES_OF(3, __VA_ARGS__)                      \
            }
#define ENTRIES for (int i = 0; i < h; i++) for (int j = 0; j < w; j++)

/* A matrix of rows: entry (i, j) is row first[i] + second[j]. */
typedef struct { real *rows; const int32_t *first, *second; } Matrix;

static inline Matrix matrix(const Layer *l, real *rows, int32_t first, int32_t second) {
    return (Matrix){ rows, (const int32_t *)l + first, (const int32_t *)l + second };
}
static inline Matrix transposed(Matrix m) { return (Matrix){ m.rows, m.second, m.first }; }
static inline vector *entry(Matrix m, int i, int j, int n, int s) { return (vector *)(m.rows + (m.first[i] + m.second[j]) * n + s); }

/* out (+)= a b for each of n samples, for matrices (height, inner) and (inner, width); `adds` says whether to out or instead of it. */
static void contract(int height, int width, int inner, Matrix out, Matrix a, Matrix b, int n, int adds) {
    TILES(height, width, for (int s = 0; s < n; s += LANES) {
        vector sum[h][w];
        ENTRIES sum[i][j] = adds ? *entry(out, x + i, y + j, n, s) : (vector){0};
        for (int k = 0; k < inner; k++)
            ENTRIES sum[i][j] += *entry(a, x + i, k, n, s) * *entry(b, k, y + j, n, s);
        ENTRIES *entry(out, x + i, y + j, n, s) = sum[i][j];
    })
}

/* out (+)= w in for a weight with entry (i, k) at i * down + k * across, and matrices of `width` numbers in a row. */
static void multiply(int height, int inner, int width, const real *weight, int down, int across, const real *in, real *out, int adds) {
    TILES(height, width / LANES, {
        vector sum[h][w];
        ENTRIES sum[i][j] = adds ? AT(out + (x + i) * width + (y + j) * LANES) : (vector){0};
        for (int k = 0; k < inner; k++)
            ENTRIES sum[i][j] += weight[(x + i) * down + k * across] * AT(in + k * width + (y + j) * LANES);
        ENTRIES AT(out + (x + i) * width + (y + j) * LANES) = sum[i][j];
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

/* out = weight * swish(h), plus h times the sigmoid of the gate where there is one; these sigmoids, `opened`, follow h. */
static void gates_forward(const Layer *l, const real *restrict weight, real *restrict h, int n, real *restrict out) {
    const int32_t *row = (const int32_t *)l + l->row, *gate = (const int32_t *)l + l->gate;
    real *restrict opened = h + l->size * n;
    for (int g = 0; g < l->gates; g++)
        for (int s = 0; s < n; s++) opened[g * n + s] = sigmoid(h[row[g] * n + s]);
    for (int c = 0; c < l->values; c++, out += n) {
        const real *restrict v = h + row[l->gates + c] * n;
        for (int s = 0; s < n; s++) out[s] = weight[c] * v[s] * sigmoid(v[s]);
        if (gate[c] >= 0)
            for (int s = 0; s < n; s++) out[s] += v[s] * opened[gate[c] * n + s];
    }
}

/* From the gradient of out, that of h; that of the weight is added to. */
static void gates_backward(const Layer *l, const real *restrict weight, const real *restrict h, const real *restrict grad, int n,
                           real *restrict d_h, real *restrict d_weight) {
    const int32_t *row = (const int32_t *)l + l->row, *gate = (const int32_t *)l + l->gate;
    const real *restrict opened = h + l->size * n;
    for (int g = 0; g < l->gates; g++) memset(d_h + row[g] * n, 0, n * sizeof(real));
    for (int c = 0; c < l->values; c++, grad += n) {
        const real *restrict v = h + row[l->gates + c] * n;
        real *restrict d_v = d_h + row[l->gates + c] * n, sum = 0;
        #pragma omp simd reduction(+ : sum)
        for (int s = 0; s < n; s++) {
            const real sig = sigmoid(v[s]), swish = v[s] * sig;
            d_v[s] = grad[s] * weight[c] * (sig + swish - swish * sig);
            sum += grad[s] * swish;
        }
        d_weight[c] += sum;
        if (gate[c] < 0) continue;
        const real *restrict open = opened + gate[c] * n;
        real *restrict d_gate = d_h + row[gate[c]] * n;
        for (int s = 0; s < n; s++) d_v[s] += grad[s] * open[s], d_gate[s] += grad[s] * v[s] * open[s] * (1 - open[s]);
    }
}

/* A chunk of n samples. Rows kept for the backward pass: x, h, opened gates, and the products of weights that come first. Contractions that
   come first are larger than all others together; they are in `work`, and the backward pass computes them again. */
static void forward(const Layer *l, real scale, const real *weights, real *x, int n, real *out, real *work) {
    real *h = x + l->size * n;
    memset(h, 0, l->size * n * sizeof(real));
    for (const Term *t = (const Term *)(l + 1), *last = t + l->terms; t < last; t++) {
        const int first = t->weight_first, width = t->width * n;
        real *source = x + t->source * n, *target = h + t->target * n, *between = first ? x + t->between * n : work;
        const Matrix z = matrix(l, x + t->through * n, t->z_left, t->z_right);
        const Matrix left = matrix(l, first ? target : between, t->left, t->left_copy);
        const Matrix right = matrix(l, first ? between : source, t->right, t->right_copy);
        if (first) multiply(t->rows, t->columns, width, weights + t->start, t->stride, 1, source, between, 0);
        contract(t->lefts, t->copies, t->rights, left, z, right, n, first);
        if (!first) multiply(t->rows, t->columns, width, weights + t->start, t->stride, 1, between, target, 1);
    }
    for (int k = 0; k < l->size * n; k++) h[k] = x[k] + scale * h[k];
    gates_forward(l, weights, h, n, out);
}

/* From the gradient of the result that of x, both in rows; those of weights are added to. */
static void backward(const Layer *l, real scale, const real *weights, real *x, const real *grad, int n, real *d_x, real *work, real *grads) {
    real *d_h = d_x + l->size * n, *d_between = d_h + l->size * n;
    gates_backward(l, weights, x + l->size * n, grad, n, d_x, grads);
    for (int k = 0; k < l->size * n; k++) d_h[k] = scale * d_x[k];
    for (const Term *t = (const Term *)(l + 1), *last = t + l->terms; t < last; t++) {
        const int first = t->weight_first, width = t->width * n;
        real *source = x + t->source * n, *d_source = d_x + t->source * n, *d_target = d_h + t->target * n;
        real *between = first ? x + t->between * n : work, *spare = first ? work : work + t->columns * width;
        const Matrix z = matrix(l, x + t->through * n, t->z_left, t->z_right), d_z = { d_x + t->through * n, z.first, z.second };
        const Matrix right = matrix(l, first ? between : source, t->right, t->right_copy);
        const Matrix d_left = matrix(l, first ? d_target : d_between, t->left, t->left_copy);
        const Matrix d_right = matrix(l, first ? d_between : d_source, t->right, t->right_copy);
        if (!first) {
            contract(t->lefts, t->copies, t->rights, matrix(l, between, t->left, t->left_copy), z, right, n, 0);
            multiply(t->columns, t->rows, width, weights + t->start, 1, t->stride, d_target, d_between, 0);
        }
        contract(t->rights, t->copies, t->lefts, d_right, transposed(z), d_left, n, !first);
        contract(t->lefts, t->rights, t->copies, d_z, d_left, transposed(right), n, 1);
        if (first) multiply(t->columns, t->rows, width, weights + t->start, 1, t->stride, d_between, d_source, 1);
        add_outer(t, width, first ? d_between : d_target, first ? source : between, grads + t->start, spare);
    }
}

/* Samples (count, width) to rows of n samples, filled up with zeros, or back. */
static void transpose(const int32_t *row, int width, real *restrict x, int count, int n, real *restrict rows, int back) {
    for (int c = 0; c < width; c++) {
        real *restrict numbers = rows + (row ? row[c] : c) * n;
        for (int s = 0; s < n && !back; s++) numbers[s] = s < count ? x[s * width + c] : 0;
        for (int s = 0; s < count && back; s++) x[s * width + c] = numbers[s];
    }
}

/* x (batch, size) to out (batch, values) or, with `grads`, the gradient of out to that of x; `chunk` samples at a time. Each thread has
   its own `work` and its own `grads`. Returns 1, and touches nothing, if one of the six arrays is shorter than that takes; else 0. */
int32_t run(const Layer *l, double scale, const real *weights, real *x, real *out, real *kept, real *work, real *grads,
            const int64_t *lengths, int64_t batch, int32_t chunk, int32_t threads) {
    const int64_t padded = (batch + PADDING - 1) / PADDING * PADDING;
    const int64_t needed[] = { l->weights, batch * l->size, batch * l->values, padded * l->kept,
                               (int64_t)threads * chunk * l->work, grads ? (int64_t)threads * l->weights : 0 };
    for (int k = 0; k < 6; k++)
        if (lengths[k] < needed[k]) return 1;
    if (chunk < PADDING || chunk % PADDING || threads < 1) return 1;
    #pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t first = 0; first < batch; first += chunk) {
        const int thread = threads > 1 ? omp_get_thread_num() : 0, some = batch - first < chunk ? (int)(batch - first) : chunk;
        const int n = (some + PADDING - 1) / PADDING * PADDING;
        real *rows = kept + first * l->kept, *values = work + (int64_t)thread * l->work * chunk, *others = values + l->values * n;
        real *some_x = x + first * l->size, *some_out = out + first * l->values;
        if (!grads) {
            transpose((const int32_t *)l + l->row, l->size, some_x, some, n, rows, 0);
            forward(l, scale, weights, rows, n, values, others);
            transpose(NULL, l->values, some_out, some, n, values, 1);
        } else {
            transpose(NULL, l->values, some_out, some, n, values, 0);
            backward(l, scale, weights, rows, values, n, others, values + l->spare * n, grads + (int64_t)thread * l->weights);
            transpose((const int32_t *)l + l->row, l->size, some_x, some, n, others, 1);
        }
    }
    return 0;
}
