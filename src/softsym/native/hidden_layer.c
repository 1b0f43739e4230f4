/* A tiny interpreter that carries a list of instructions through a batch, a few samples at a time.

   Bilinear layers and gates are made of products far too small for a matrix library, with transpositions and larger products between
   them. Done here, what a few samples need stays in the nearest caches from the first instruction to the last, nothing is transposed
   in memory, and no temporary is as large as the batch. Larger products go to the matrix library that torch brings.

   The small products are all of one kind, a trilinear form
       sum over i, k, j of  z[row[i] + column[k]] * left[i, j] * right[k, j],
   of which one factor is the output: FORM_LEFT writes left, FORM_Z adds to z. (Exchanging row and column exchanges left and right.)

   Compiled once for float and, with -DDOUBLE, once for double; without OpenMP where the compiler has none, and then on one thread.
   README.md says what a program is. */

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

enum { SPREAD, CLEAR, FORM_LEFT, FORM_Z, GATHER, OPEN, SWISH, GATE, SWISH_BACK, GATE_BACK, TIMES_TRANSPOSED, TIMES, ADD_OUTER, OPCODES };
enum { WHOLE, PART, SHARED, OWN, KINDS };

/* `width` numbers of each sample in one of the spaces of a call, after `before` numbers per sample that belong to others. */
typedef struct {
    int32_t space, width, before, start;
} Place;

/* A space holds numbers for the WHOLE batch, for the PART of it that a thread is at, or one set of them, SHARED or every thread's OWN.
   What belongs to one thread lies `apart` from what belongs to the next. */
typedef struct {
    real *base;
    int64_t kind, apart;
} Space;

typedef struct {
    int32_t op, rows, columns, inner, adds;
    double scale;
    Place z, left, right, weight, out;
    const int32_t *row, *column;
} Instruction;

/* What Python must agree with (program.py); compared once, when the library is loaded. */
const int64_t layout[] = {
    sizeof(real), OPCODES, KINDS,
    sizeof(Place), offsetof(Place, space), offsetof(Place, width), offsetof(Place, before), offsetof(Place, start),
    sizeof(Space), offsetof(Space, base), offsetof(Space, kind), offsetof(Space, apart),
    sizeof(Instruction), offsetof(Instruction, op), offsetof(Instruction, rows), offsetof(Instruction, columns),
    offsetof(Instruction, inner), offsetof(Instruction, adds), offsetof(Instruction, scale), offsetof(Instruction, z),
    offsetof(Instruction, left), offsetof(Instruction, right), offsetof(Instruction, weight), offsetof(Instruction, out),
    offsetof(Instruction, row), offsetof(Instruction, column),
};
const int64_t layout_length = sizeof layout / sizeof *layout;

typedef struct {
    const Space *spaces;
    int64_t batch, chunk, first;
    int thread;
} Where;

static inline real *at(const Place *p, const Where *w, int64_t sample) {
    const Space *space = w->spaces + p->space;
    real *base = space->base + w->thread * space->apart + p->start;
    switch (space->kind) {
    case WHOLE: return base + w->batch * p->before + sample * p->width;
    case PART: return base + w->chunk * p->before + (sample - w->first) * p->width;
    default: return base + p->before; /* SHARED, OWN */
    }
}

/* Vectors of the compiler's own, whatever the processor has; in memory they need no alignment. */
typedef real vector __attribute__((vector_size(32)));
enum { LANES = 32 / sizeof(real) };

static inline vector load(const real *from) {
    vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void store(real *to, vector v) { memcpy(to, &v, sizeof v); }

#ifdef DOUBLE
static inline vector exponential(vector x) {
    for (int lane = 0; lane < LANES; lane++) x[lane] = exp(x[lane]);
    return x;
}
#else
typedef int32_t integers __attribute__((vector_size(32)));

/* Accurate to two units in the last place: 2^n times a series on half the way to the next power. */
static inline vector exponential(vector x) {
    const integers low = x < -87.0f, high = x > 88.0f;
    x = (vector)(((integers)x & ~(low | high)) | ((integers)((vector){0} - 87.0f) & low) | ((integers)((vector){0} + 88.0f) & high));
    const float magic = 12582912.0f; /* adding it leaves the nearest whole number in the last bits */
    const vector shifted = x * 1.44269504f + magic, n = shifted - magic;
    const vector r = (x - n * 0.693359375f) + n * 2.12194440e-4f; /* ln 2 in two parts */
    vector p = r * (1.0f / 5040) + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r + 1.0f;
    p = p * r + 1.0f;
    return p * (vector)(((integers)shifted + 127) << 23);
}
#endif

static inline vector sigmoid(vector x) { return 1 / (1 + exponential(-x)); }

/* The first `count` lanes; zero in the others. */
static inline vector load_some(const real *from, int count) {
    vector v = {0};
    memcpy(&v, from, count * sizeof(real));
    return v;
}

static inline void store_some(real *to, vector v, int count) { memcpy(to, &v, count * sizeof(real)); }

/* left[m, c] = scale * right[c, m] for a run of copies: copies become the inner dimension, `inner` apart. */
static inline void spread_rows(const int rows, const Instruction *in, real *restrict left, const real *restrict right) {
    const real scale = in->scale;
    for (int m = 0; m < rows; m++)
        for (int c = 0; c < in->columns; c++) left[m * in->inner + c] = scale * right[c * rows + m];
}

static void spread(const Instruction *in, real *left, const real *right) {
    switch (in->rows) {
    case 1: spread_rows(1, in, left, right); break;
    case 3: spread_rows(3, in, left, right); break;
    case 9: spread_rows(9, in, left, right); break;
    default: spread_rows(in->rows, in, left, right);
    }
}

/* right[c, m] = z[c, m] + scale * left[m, c]: the way back, added to what was there. */
static inline void gather_rows(const int rows, const Instruction *in, const real *restrict z, const real *restrict left,
                               real *restrict right) {
    const real scale = in->scale;
    for (int c = 0; c < in->columns; c++)
        for (int m = 0; m < rows; m++) right[c * rows + m] = z[c * rows + m] + scale * left[m * in->inner + c];
}

static void gather(const Instruction *in, const real *z, const real *left, real *right) {
    if (!in->adds) {
        memcpy(right, z, in->columns * in->rows * sizeof(real));
        return;
    }
    switch (in->rows) {
    case 1: gather_rows(1, in, z, left, right); break;
    case 3: gather_rows(3, in, z, left, right); break;
    case 9: gather_rows(9, in, z, left, right); break;
    default: gather_rows(in->rows, in, z, left, right);
    }
}

/* `count` rows of `LANES` entries of left, from row `i` and entry `j` on; what right holds is loaded once for all of them. */
static inline void rows_of_left(const int count, const Instruction *in, const real *z, real *left, const real *right, int i, int j,
                                vector *found) {
    const int inner = in->inner, columns = in->columns;
    const real *rows[4];
    vector sum[4];
    for (int r = 0; r < count; r++) {
        rows[r] = z + in->row[i + r];
        sum[r] = in->adds ? load(left + (i + r) * inner + j) : (vector){0};
    }
    for (int k = 0; k < columns; k++) {
        const vector b = load(right + k * inner + j);
        const int32_t place = in->column[k];
        for (int r = 0; r < count; r++) sum[r] += rows[r][place] * b;
    }
    for (int r = 0; r < count; r++) found[r] = sum[r];
}

/* As many vectors as fit; a last one overlaps the one before it, and is found before anything is stored. */
static inline void form_left_rows(const int count, const Instruction *in, const real *z, real *left, const real *right, int i) {
    const int inner = in->inner, rest = inner % LANES;
    vector last[4], found[4];
    if (rest) rows_of_left(count, in, z, left, right, i, inner - LANES, last);
    for (int j = 0; j + LANES <= inner; j += LANES) {
        rows_of_left(count, in, z, left, right, i, j, found);
        for (int r = 0; r < count; r++) store(left + (i + r) * inner + j, found[r]);
    }
    if (rest)
        for (int r = 0; r < count; r++) store(left + (i + r + 1) * inner - LANES, last[r]);
}

/* Fewer copies than a vector has lanes. */
static inline void form_left_few(const int inner, const Instruction *in, const real *restrict z, real *restrict left,
                                 const real *restrict right) {
    for (int i = 0; i < in->rows; i++) {
        real sum[LANES];
        for (int j = 0; j < inner; j++) sum[j] = in->adds ? left[i * inner + j] : 0;
        for (int k = 0; k < in->columns; k++) {
            const real weight = z[in->row[i] + in->column[k]];
            for (int j = 0; j < inner; j++) sum[j] += weight * right[k * inner + j];
        }
        for (int j = 0; j < inner; j++) left[i * inner + j] = sum[j];
    }
}

static void form_left(const Instruction *in, const real *z, real *left, const real *right) {
    int i = 0;
    if (in->inner >= LANES) {
        for (; i + 4 <= in->rows; i += 4) form_left_rows(4, in, z, left, right, i);
        if (in->rows - i == 3) form_left_rows(3, in, z, left, right, i), i += 3;
        for (; i < in->rows; i++) form_left_rows(1, in, z, left, right, i);
        return;
    }
    switch (in->inner) {
    case 1: form_left_few(1, in, z, left, right); break;
    case 2: form_left_few(2, in, z, left, right); break;
    case 3: form_left_few(3, in, z, left, right); break;
    case 4: form_left_few(4, in, z, left, right); break;
    default: form_left_few(in->inner, in, z, left, right);
    }
}

/* The sum over all lanes, by halves. */
static inline real total(vector v) {
    typedef real half __attribute__((vector_size(16)));
    half low, high;
    memcpy(&low, &v, sizeof low);
    memcpy(&high, (const char *)&v + sizeof low, sizeof high);
    low += high;
    real sum = low[0] + low[1];
    if (LANES == 8) sum += low[2] + low[3];
    return sum;
}

static inline void form_z_few(const int inner, const Instruction *in, real *restrict z, const real *restrict left,
                              const real *restrict right) {
    for (int i = 0; i < in->rows; i++)
        for (int k = 0; k < in->columns; k++) {
            real sum = 0;
            for (int j = 0; j < inner; j++) sum += left[i * inner + j] * right[k * inner + j];
            z[in->row[i] + in->column[k]] += sum;
        }
}

/* Three inner products at a time, so that their sums over the lanes overlap. */
static inline void form_z_columns(const int count, const Instruction *in, real *z, const real *left, const real *right, int i, int k,
                                  vector last) {
    const int inner = in->inner;
    const real *a = left + i * inner;
    vector sum[3];
    const vector tail = load(a + inner - LANES) * last;
    for (int c = 0; c < count; c++) sum[c] = tail * load(right + (k + c + 1) * inner - LANES);
    for (int j = 0; j + LANES <= inner; j += LANES) {
        const vector b = load(a + j);
        for (int c = 0; c < count; c++) sum[c] += b * load(right + (k + c) * inner + j);
    }
    for (int c = 0; c < count; c++) z[in->row[i] + in->column[k + c]] += total(sum[c]);
}

static void form_z(const Instruction *in, real *z, const real *left, const real *right) {
    if (in->inner >= LANES) {
        vector last; /* ones where the last vector holds entries that no other holds */
        for (int lane = 0; lane < LANES; lane++) last[lane] = lane >= LANES - in->inner % LANES;
        for (int i = 0; i < in->rows; i++) {
            int k = 0;
            for (; k + 3 <= in->columns; k += 3) form_z_columns(3, in, z, left, right, i, k, last);
            for (; k < in->columns; k++) form_z_columns(1, in, z, left, right, i, k, last);
        }
        return;
    }
    switch (in->inner) {
    case 1: form_z_few(1, in, z, left, right); break;
    case 2: form_z_few(2, in, z, left, right); break;
    case 3: form_z_few(3, in, z, left, right); break;
    case 4: form_z_few(4, in, z, left, right); break;
    default: form_z_few(in->inner, in, z, left, right);
    }
}

/* left = sigmoid(right): what gates come to. */
static void open_gates(const Instruction *in, real *restrict left, const real *restrict right) {
    int j = 0;
    for (; j + LANES <= in->columns; j += LANES) store(left + j, sigmoid(load(right + j)));
    if (j < in->columns) store_some(left + j, sigmoid(load_some(right + j, in->columns - j)), in->columns - j);
}

/* z = weight * swish(right). */
static void swish(const Instruction *in, real *restrict z, const real *restrict right, const real *restrict weight) {
    const int size = in->columns;
    int j = 0;
    for (; j + LANES <= size; j += LANES) {
        const vector v = load(right + j);
        store(z + j, load(weight + j) * v * sigmoid(v));
    }
    if (j < size) {
        const vector v = load_some(right + j, size - j);
        store_some(z + j, load_some(weight + j, size - j) * v * sigmoid(v), size - j);
    }
}

/* out = gradient of right; sums += gradient of weight; z = gradient of the result. */
static void swish_back(const Instruction *in, const real *restrict z, const real *restrict right, const real *restrict weight,
                       real *restrict out, real *restrict sums) {
    const int size = in->columns;
    for (int j = 0; j < size; j += LANES) {
        const int some = size - j < LANES ? size - j : LANES;
        const int whole = some == LANES;
        const vector v = whole ? load(right + j) : load_some(right + j, some);
        const vector g = whole ? load(z + j) : load_some(z + j, some);
        const vector w = whole ? load(weight + j) : load_some(weight + j, some);
        const vector s = sigmoid(v), y = v * s;
        const vector d = g * w * (s + y - y * s);
        const vector sum = (whole ? load(sums + j) : load_some(sums + j, some)) + g * y;
        if (whole) store(out + j, d), store(sums + j, sum);
        else store_some(out + j, d, some), store_some(sums + j, sum, some);
    }
}

/* z[c, m] += right[c, m] * left[c]: a run of copies, each with its gate. */
static inline void gate_rows(const int rows, const Instruction *in, real *restrict z, const real *restrict left,
                             const real *restrict right) {
    for (int c = 0; c < in->columns; c++)
        for (int m = 0; m < rows; m++) z[c * rows + m] += right[c * rows + m] * left[c];
}

static void gate(const Instruction *in, real *z, const real *left, const real *right) {
    switch (in->rows) {
    case 3: gate_rows(3, in, z, left, right); break;
    case 9: gate_rows(9, in, z, left, right); break;
    default: gate_rows(in->rows, in, z, left, right);
    }
}

/* out[c, m] += z[c, m] * left[c]; d_gates[c] = gradient of what was made left[c]. */
static inline void gate_rows_back(const int rows, const Instruction *in, const real *restrict z, const real *restrict left,
                                  const real *restrict right, real *restrict out, real *restrict d_gates) {
    for (int c = 0; c < in->columns; c++) {
        const real open = left[c];
        real sum = 0;
        for (int m = 0; m < rows; m++) {
            out[c * rows + m] += z[c * rows + m] * open;
            sum += z[c * rows + m] * right[c * rows + m];
        }
        d_gates[c] = sum * open * (1 - open);
    }
}

static void gate_back(const Instruction *in, const real *z, const real *left, const real *right, real *out, real *d_gates) {
    switch (in->rows) {
    case 3: gate_rows_back(3, in, z, left, right, out, d_gates); break;
    case 9: gate_rows_back(9, in, z, left, right, out, d_gates); break;
    default: gate_rows_back(in->rows, in, z, left, right, out, d_gates);
    }
}

/* How far the next sample's numbers are. */
static inline int64_t step(const Place *p, const Where *w) { return w->spaces[p->space].kind <= PART ? p->width : 0; }

/* Carries an instruction out for the samples from w->first on. */
static void each_sample(const Instruction *in, const Where *w, int64_t stop) {
    real *z = at(&in->z, w, w->first), *left = at(&in->left, w, w->first), *right = at(&in->right, w, w->first);
    real *weight = at(&in->weight, w, w->first), *out = at(&in->out, w, w->first);
    const int64_t z_step = step(&in->z, w), left_step = step(&in->left, w), right_step = step(&in->right, w);
    const int64_t weight_step = step(&in->weight, w), out_step = step(&in->out, w);
    for (int64_t sample = w->first; sample < stop; sample++) {
        switch (in->op) {
        case SPREAD: spread(in, left, right); break;
        case CLEAR: memset(left, 0, in->left.width * sizeof(real)); break;
        case FORM_LEFT: form_left(in, z, left, right); break;
        case FORM_Z: form_z(in, z, left, right); break;
        case GATHER: gather(in, z, left, right); break;
        case OPEN: open_gates(in, left, right); break;
        case SWISH: swish(in, z, right, weight); break;
        case GATE: gate(in, z, left, right); break;
        case SWISH_BACK: swish_back(in, z, right, weight, out, left); break;
        case GATE_BACK: gate_back(in, z, left, right, out, weight); break;
        }
        z += z_step, left += left_step, right += right_step, weight += weight_step, out += out_step;
    }
}

/* The matrix library's product, in Fortran's conventions: columns first, everything by address. */
typedef void Multiply(const char *, const char *, const int *, const int *, const int *, const real *, const real *, const int *,
                      const real *, const int *, const real *, real *, const int *);

/* Each sample has `rows` rows. With a of `columns` columns and m rows in all, out of `inner` columns:
   TIMES_TRANSPOSED: out = a w^T;  TIMES: out = a w;  ADD_OUTER: w += a^T out, the derivative of w. */
static void product(const Instruction *in, const Where *w, int64_t stop, Multiply *multiply) {
    real *a = at(&in->z, w, w->first), *out = at(&in->left, w, w->first), *weight = at(&in->weight, w, w->first);
    const int m = in->rows * (int)(stop - w->first), k = in->columns, n = in->inner;
    const real one = 1, before = in->adds ? 1 : 0;
    if (in->op == TIMES_TRANSPOSED) multiply("T", "N", &n, &m, &k, &one, weight, &k, a, &k, &before, out, &n);
    else if (in->op == TIMES) multiply("N", "N", &n, &m, &k, &one, weight, &n, a, &k, &before, out, &n);
    else multiply("N", "T", &n, &k, &m, &one, out, &n, a, &k, &one, weight, &n);
}

/* `limit` sets how many threads the matrix library may use for products that are called from one thread, and returns how many those
   were; null if it cannot be told. Our products are too small to be shared out. */
void run(const Instruction *program, int32_t length, const Space *spaces, int64_t batch, int64_t chunk, int32_t threads,
         Multiply *multiply, int (*limit)(int)) {
    const int64_t chunks = (batch + chunk - 1) / chunk;
    const int before = limit ? limit(1) : 0;
    #pragma omp parallel for schedule(static) num_threads(threads) if (threads > 1)
    for (int64_t c = 0; c < chunks; c++) {
        const Where w = { spaces, batch, chunk, c * chunk, threads > 1 ? omp_get_thread_num() : 0 };
        const int64_t stop = w.first + chunk < batch ? w.first + chunk : batch;
        for (int32_t n = 0; n < length; n++) {
            if (program[n].op >= TIMES_TRANSPOSED) product(program + n, &w, stop, multiply);
            else each_sample(program + n, &w, stop);
        }
    }
    if (limit) limit(before);
}
