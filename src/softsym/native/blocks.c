/* Many small matrices, each applied to many short vectors that are scattered in memory or lie one after the other.

   Gathering, multiplying and scattering vector by vector keeps everything in registers and the nearest cache; as separate operations
   each of the three would walk through all of memory. A quadratic form of such matrices takes the same walk, and so does their resolvent.

   Compiled once for float and, with -DDOUBLE, once for double; without OpenMP where the compiler has none, and then on one thread. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef DOUBLE
typedef double real;
#else
typedef float real;
#endif

typedef real vector __attribute__((vector_size(32)));
enum { LANES = 32 / sizeof(real), TOGETHER = 4, LARGEST = 1024 };

/* Row vectors that lie at the places `at` (count, size) of the array number `array`, times `matrix` (size, size); without one they are
   copied. */
typedef struct {
    int64_t array, count, size;
    const int32_t *at;
    const real *matrix;
} Block;

/* A part of an array, and a diagonal matrix on it. */
typedef struct {
    int64_t array, first, count;
    const real *diagonal;
} Slice;

/* A symmetric matrix (size, size) on vectors that lie at the places `at` (count, size) of an array: its eigenvalues, and its
   eigenvectors in columns and once more in rows. */
typedef struct {
    int64_t array, count, size;
    const int32_t *at;
    const real *values, *columns, *rows;
} Spectrum;

/* What Python must agree with (blocks.py); compared once, when the library is loaded. */
const int64_t layout[] = { sizeof(real), LARGEST, sizeof(Block), sizeof(Slice), sizeof(Spectrum) };
const int64_t layout_length = sizeof layout / sizeof *layout;
#ifdef _OPENMP
const int64_t threaded = 1;
#else
const int64_t threaded = 0;
#endif

static inline vector load(const real *from) {
    vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline void read(const int32_t *at, const int size, const real *restrict x, real *restrict into) {
    for (int i = 0; i < size; i++) into[i] = x[at[i]];
}

static inline void write(const int32_t *at, const int size, const real *restrict values, real *restrict out) {
    for (int j = 0; j < size; j++) out[at[j]] = values[j];
}

/* Whether every array has at least as many numbers as are needed of it: the last check before memory is read and written. */
static int fits(int64_t arrays, const int64_t *needed, const int64_t *lengths) {
    for (int64_t k = 0; k < arrays; k++)
        if (lengths[k] < needed[k]) return 0;
    return 1;
}

/* Small matrices: sizes known to the compiler. */
static inline void tiny(const int size, const Block *b, const real *restrict x, real *restrict out) {
    real matrix[9];
    memcpy(matrix, b->matrix, size * size * sizeof(real));
    for (int64_t n = 0; n < b->count; n++) {
        real in[3], sum[3] = {0};
        read(b->at + n * size, size, x, in);
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) sum[j] += in[i] * matrix[i * size + j];
        write(b->at + n * size, size, sum, out);
    }
}

/* `count` vectors times a matrix (size, size) together, so that every row of the matrix is loaded once for all of them. */
static inline void multiply(const int count, const int size, const real *restrict matrix, real (*restrict in)[LARGEST],
                            real (*restrict out)[LARGEST]) {
    if (size < LANES) {
        for (int r = 0; r < count; r++)
            for (int j = 0; j < size; j++) {
                real total = 0;
                for (int i = 0; i < size; i++) total += in[r][i] * matrix[i * size + j];
                out[r][j] = total;
            }
        return;
    }
    /* the last vector overlaps the one before it */
    for (int start = 0; start < size; start += LANES) {
        const int j = start + LANES <= size ? start : size - LANES;
        vector total[TOGETHER] = {0};
        for (int i = 0; i < size; i++) {
            const vector row = load(matrix + i * size + j);
            for (int r = 0; r < count; r++) total[r] += in[r][i] * row;
        }
        for (int r = 0; r < count; r++) memcpy(out[r] + j, total + r, sizeof(vector));
    }
}

static inline void several(const int count, const Block *b, int64_t n, const real *restrict x, real *restrict out) {
    real in[TOGETHER][LARGEST], sum[TOGETHER][LARGEST];
    const int size = (int)b->size;
    for (int r = 0; r < count; r++) read(b->at + (n + r) * size, size, x, in[r]);
    multiply(count, size, b->matrix, in, sum);
    for (int r = 0; r < count; r++) write(b->at + (n + r) * size, size, sum[r], out);
}

static void apply(const Block *b, const real *const *arrays, real *const *outs) {
    const real *x = arrays[b->array];
    real *out = outs[b->array];
    if (!b->matrix)
        for (int64_t n = 0; n < b->count * b->size; n++) out[b->at[n]] = x[b->at[n]];
    else if (b->size == 2) tiny(2, b, x, out);
    else if (b->size == 3) tiny(3, b, x, out);
    else {
        int64_t n = 0;
        for (; n + TOGETHER <= b->count; n += TOGETHER) several(TOGETHER, b, n, x, out);
        if (b->count - n >= 2) several(2, b, n, x, out), n += 2;
        if (n < b->count) several(1, b, n, x, out);
    }
}

static void scale(const Slice *s, const real *const *arrays, real *const *outs) {
    const real *restrict x = arrays[s->array] + s->first;
    real *restrict out = outs[s->array] + s->first;
    for (int64_t i = 0; i < s->count; i++) out[i] = s->diagonal[i] * x[i];
}

static real dot(const real *restrict a, const real *restrict b, int64_t count) {
    real total = 0;
    #pragma omp simd reduction(+ : total)
    for (int64_t i = 0; i < count; i++) total += a[i] * b[i];
    return total;
}

/* The entry points return 0, or 1 if an array is shorter than `needed`, and then touch nothing.

   out = K x on the blocks alone; no two write to the same place. `lengths` are those of x, then those of out. */
int32_t run(const Block *blocks, int64_t count, const real *const *x, real *const *out, int64_t arrays, const int64_t *needed,
            const int64_t *lengths, int32_t threads) {
    if (!fits(arrays, needed, lengths) || !fits(arrays, needed, lengths + arrays)) return 1;
    #pragma omp parallel for schedule(dynamic, 4) num_threads(threads) if (threads > 1)
    for (int64_t n = 0; n < count; n++) apply(blocks + n, x, out);
    return 0;
}

/* out = K x, where K is diagonal but for the blocks, and the sums x . K x and x . x of every slice. Each slice has its own place in
   `sums`, so that the order of adding does not depend on threads. */
int32_t quadratic(const Slice *slices, int64_t parts, const Block *blocks, int64_t count, const real *const *x, real *const *out,
                  double *sums, int64_t arrays, const int64_t *needed, const int64_t *lengths, int32_t threads) {
    if (!fits(arrays, needed, lengths) || !fits(arrays, needed, lengths + arrays)) return 1;
    #pragma omp parallel num_threads(threads) if (threads > 1)
    {
        #pragma omp for schedule(static)
        for (int64_t n = 0; n < parts; n++) scale(slices + n, x, out);
        #pragma omp for schedule(dynamic, 4)
        for (int64_t n = 0; n < count; n++) apply(blocks + n, x, out);
        #pragma omp for schedule(static)
        for (int64_t n = 0; n < parts; n++) {
            const Slice *s = slices + n;
            const real *part = x[s->array] + s->first;
            sums[2 * n] = dot(part, out[s->array] + s->first, s->count);
            sums[2 * n + 1] = dot(part, part, s->count);
        }
    }
    for (int64_t n = 1; n < parts; n++) sums[0] += sums[2 * n], sums[1] += sums[2 * n + 1];
    return 0;
}

/* Small matrices: U shrink U^T is one small matrix, with sizes known to the compiler. */
static inline void shrink_tiny(const int size, const Spectrum *s, const real *restrict shrink, real *x) {
    real matrix[9] = {0};
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            for (int k = 0; k < size; k++) matrix[i * size + j] += s->columns[i * size + k] * shrink[k] * s->columns[j * size + k];
    for (int64_t n = 0; n < s->count; n++) {
        const int32_t *at = s->at + n * size;
        real in[3], change[3] = {0};
        for (int i = 0; i < size; i++) in[i] = x[at[i]];
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) change[j] += in[i] * matrix[i * size + j];
        for (int j = 0; j < size; j++) x[at[j]] = in[j] - change[j];
    }
}

static inline void shrink_several(const int count, const Spectrum *s, int64_t n, const real *restrict shrink, real *x) {
    real in[TOGETHER][LARGEST], along[TOGETHER][LARGEST], change[TOGETHER][LARGEST];
    const int size = (int)s->size;
    const int32_t *at = s->at + n * size;
    for (int r = 0; r < count; r++) read(at + r * size, size, x, in[r]);
    multiply(count, size, s->columns, in, along);
    for (int r = 0; r < count; r++)
        for (int k = 0; k < size; k++) along[r][k] *= shrink[k];
    multiply(count, size, s->rows, along, change);
    for (int r = 0; r < count; r++)
        for (int i = 0; i < size; i++) x[at[r * size + i]] = in[r][i] - change[r][i];
}

static void shrink(const Spectrum *s, real *const *arrays, real step) {
    real *x = arrays[s->array], by[LARGEST];
    for (int k = 0; k < s->size; k++) by[k] = step * s->values[k] / (1 + step * s->values[k]);
    if (s->size == 2) shrink_tiny(2, s, by, x);
    else if (s->size == 3) shrink_tiny(3, s, by, x);
    else {
        int64_t n = 0;
        for (; n + TOGETHER <= s->count; n += TOGETHER) shrink_several(TOGETHER, s, n, by, x);
        if (s->count - n >= 2) shrink_several(2, s, n, by, x), n += 2;
        if (n < s->count) shrink_several(1, s, n, by, x);
    }
}

/* x = (1 + step K)^-1 x in place, where K is diagonal but for the spectra; its diagonal is zero where those are. */
int32_t resolvent(const Slice *slices, int64_t parts, const Spectrum *spectra, int64_t count, real *const *x, double step, int64_t arrays,
                  const int64_t *needed, const int64_t *lengths, int32_t threads) {
    if (!fits(arrays, needed, lengths)) return 1;
    const real length = (real)step;
    #pragma omp parallel num_threads(threads) if (threads > 1)
    {
        #pragma omp for schedule(static)
        for (int64_t n = 0; n < parts; n++) {
            const real *restrict diagonal = slices[n].diagonal;
            real *restrict part = x[slices[n].array] + slices[n].first;
            for (int64_t i = 0; i < slices[n].count; i++) part[i] /= 1 + length * diagonal[i];
        }
        #pragma omp for schedule(dynamic, 4)
        for (int64_t n = 0; n < count; n++) shrink(spectra + n, x, length);
    }
    return 0;
}
