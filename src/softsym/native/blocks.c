/* Many small matrices, each applied to many short vectors that are scattered in memory or lie one after the other.

   Gathering, multiplying and scattering vector by vector keeps everything in registers and the nearest cache; as separate operations
   each of the three would walk through all of memory. A quadratic form of such matrices takes the same walk.

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

/* Row vectors x (count, rows) times `matrix` (rows, columns), in the array number `array` of several. They are read at `from`
   (count, rows), or from the place `first_from` on where it is null; and written likewise. Without a matrix they are copied. */
typedef struct {
    int64_t array, count, rows, columns, first_from, first_to;
    const int32_t *from, *to;
    const real *matrix;
} Block;

/* A part of an array, and a diagonal matrix on it. */
typedef struct {
    int64_t array, first, count;
    const real *diagonal;
} Slice;

/* What Python must agree with (blocks.py); compared once, when the library is loaded. */
const int64_t layout[] = {
    sizeof(real), LARGEST,
    sizeof(Block), offsetof(Block, array), offsetof(Block, count), offsetof(Block, rows), offsetof(Block, columns),
    offsetof(Block, first_from), offsetof(Block, first_to), offsetof(Block, from), offsetof(Block, to), offsetof(Block, matrix),
    sizeof(Slice), offsetof(Slice, array), offsetof(Slice, first), offsetof(Slice, count), offsetof(Slice, diagonal),
};
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

static inline void read(const int32_t *at, int64_t first, int64_t n, const int rows, const real *restrict x, real *restrict into) {
    if (at)
        for (int i = 0; i < rows; i++) into[i] = x[at[n * rows + i]];
    else
        for (int i = 0; i < rows; i++) into[i] = x[first + n * rows + i];
}

static inline void write(const int32_t *at, int64_t first, int64_t n, const int columns, const real *restrict values,
                         real *restrict out) {
    if (at)
        for (int j = 0; j < columns; j++) out[at[n * columns + j]] = values[j];
    else
        for (int j = 0; j < columns; j++) out[first + n * columns + j] = values[j];
}

/* Small matrices: sizes known to the compiler. */
static inline void tiny(const int rows, const int columns, const Block *b, const real *restrict x, real *restrict out) {
    const int32_t *from = b->from, *to = b->to;
    real matrix[9];
    memcpy(matrix, b->matrix, rows * columns * sizeof(real));
    for (int64_t n = 0; n < b->count; n++) {
        real in[3], sum[3] = {0};
        read(from, b->first_from, n, rows, x, in);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) sum[j] += in[i] * matrix[i * columns + j];
        write(to, b->first_to, n, columns, sum, out);
    }
}

/* `count` vectors together, so that every row of the matrix is loaded once for all of them. */
static inline void several(const int count, const Block *b, int64_t n, const real *restrict x, real *restrict out) {
    real in[TOGETHER][LARGEST], sum[TOGETHER][LARGEST];
    const int rows = (int)b->rows, columns = (int)b->columns;
    for (int r = 0; r < count; r++) read(b->from, b->first_from, n + r, rows, x, in[r]);
    if (columns < LANES) {
        for (int r = 0; r < count; r++)
            for (int j = 0; j < columns; j++) {
                real total = 0;
                for (int i = 0; i < rows; i++) total += in[r][i] * b->matrix[(int64_t)i * columns + j];
                sum[r][j] = total;
            }
    } else {
        /* the last vector overlaps the one before it */
        for (int start = 0; start < columns; start += LANES) {
            const int j = start + LANES <= columns ? start : columns - LANES;
            vector total[TOGETHER] = {0};
            for (int i = 0; i < rows; i++) {
                const vector row = load(b->matrix + (int64_t)i * columns + j);
                for (int r = 0; r < count; r++) total[r] += in[r][i] * row;
            }
            for (int r = 0; r < count; r++) memcpy(sum[r] + j, total + r, sizeof(vector));
        }
    }
    for (int r = 0; r < count; r++) write(b->to, b->first_to, n + r, columns, sum[r], out);
}

static void apply(const Block *b, const real *const *arrays, real *const *outs) {
    const real *x = arrays[b->array];
    real *out = outs[b->array];
    if (!b->matrix) {
        for (int64_t n = 0; n < b->count * b->rows; n++)
            out[b->to ? b->to[n] : b->first_to + n] = x[b->from ? b->from[n] : b->first_from + n];
        return;
    }
    if (b->rows == 2 && b->columns == 2) tiny(2, 2, b, x, out);
    else if (b->rows == 3 && b->columns == 3) tiny(3, 3, b, x, out);
    else if (b->rows == 1 && b->columns == 3) tiny(1, 3, b, x, out);
    else if (b->rows == 3 && b->columns == 1) tiny(3, 1, b, x, out);
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

/* No two blocks write to the same place. */
void run(const Block *blocks, int64_t count, const real *const *x, real *const *out, int32_t threads) {
    #pragma omp parallel for schedule(dynamic, 4) num_threads(threads) if (threads > 1)
    for (int64_t n = 0; n < count; n++) apply(blocks + n, x, out);
}

/* out = K x, where K is diagonal but for the blocks, and the sums x . K x and x . x of every slice. Each slice has its own place in
   `sums`, so that the order of adding does not depend on threads. */
void quadratic(const Slice *slices, int64_t parts, const Block *blocks, int64_t count, const real *const *x, real *const *out,
               double *sums, int32_t threads) {
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
}
