// The squared error of a layered network over all examples, and its gradient.
//
// Compiled by docs/natively.py for the CPU that it runs on. A tile of examples goes forward and
// backward through all layers while it is in the cache.

#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

typedef float Vec __attribute__((vector_size(64)));
constexpr int T = 128;     // examples in a tile
constexpr int V = T / 16;  // vectors that hold a neuron's values for a tile

static inline Vec splat(float x) { return x - Vec{}; }

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};
typedef std::unique_ptr<Vec[], Free> Room;

static Room room(long vectors) {
    Vec* memory = static_cast<Vec*>(std::aligned_alloc(64, 64 * vectors));
    for (long k = 0; k < vectors; k++) memory[k] = Vec{};
    return Room(memory);
}

// Layers in the order of the pass; several at one level are side by side. Those at one level read
// `blocks` × `inputs` values from `from` on, and write `blocks` × `outputs` from `to` on.
struct Layer {
    int level, from, to, blocks, outputs, inputs, activation;  // 0 logistic, 1 tanh, 2 linear
};

// ---- products of a block's weights and a tile, a few rows in registers at a time -----------------

// y[r] = bias[r] + sum over i of w[r * row + i * column] x[i]
template <int R>
static void rows(const float* w, int row, int column, const float* bias, const Vec* x, Vec* y,
                 int inputs) {
    for (int v = 0; v < V; v += 2) {
        Vec sums[R][2];
        for (int r = 0; r < R; r++) sums[r][0] = sums[r][1] = splat(bias ? bias[r] : 0.f);
        for (int i = 0; i < inputs; i++) {
            const Vec first = x[i * V + v], second = x[i * V + v + 1];
            for (int r = 0; r < R; r++) {
                const Vec weight = splat(w[r * row + i * column]);
                sums[r][0] += weight * first;
                sums[r][1] += weight * second;
            }
        }
        for (int r = 0; r < R; r++) y[r * V + v] = sums[r][0], y[r * V + v + 1] = sums[r][1];
    }
}

static void product(const float* w, int row, int column, const float* bias, const Vec* x, Vec* y,
                    int outputs, int inputs) {
    constexpr decltype(&rows<1>) few[] = {rows<1>, rows<2>, rows<3>, rows<4>, rows<5>, rows<6>};
    for (int o = 0; o < outputs; o += 6) {
        const int count = outputs - o < 6 ? outputs - o : 6;
        few[count - 1](w + o * row, row, column, bias ? bias + o : nullptr, x, y + o * V, inputs);
    }
}

// sums[r * inputs + c] += sum over the tile of slopes[r] x[c], separate by position in the vectors
template <int R, int C>
static void corner(const Vec* slopes, const Vec* x, Vec* sums, int inputs) {
    Vec own[R][C];
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) own[r][c] = sums[r * inputs + c];
    for (int v = 0; v < V; v++)
        for (int c = 0; c < C; c++)
            for (int r = 0; r < R; r++) own[r][c] += slopes[r * V + v] * x[c * V + v];
    for (int r = 0; r < R; r++)
        for (int c = 0; c < C; c++) sums[r * inputs + c] = own[r][c];
}

static void outer(const Vec* slopes, const Vec* x, Vec* sums, int outputs, int inputs) {
    for (int o = 0; o < outputs;) {
        const bool four = outputs - o >= 4;
        for (int i = 0; i < inputs;) {
            const Vec *d = slopes + o * V, *column = x + i * V;
            Vec* at = sums + o * inputs + i;
            const int left = inputs - i;
            if (four && left >= 4) corner<4, 4>(d, column, at, inputs), i += 4;
            else if (four) corner<4, 1>(d, column, at, inputs), i += 1;
            else if (left >= 8) corner<1, 8>(d, column, at, inputs), i += 8;
            else corner<1, 1>(d, column, at, inputs), i += 1;
        }
        o += four ? 4 : 1;
    }
}

// ---- activations ---------------------------------------------------------------------------------

static inline float exponential(float x) { return std::exp(x < 80.f ? x : 80.f); }

static void squash(float* x, long count, int activation) {
    if (activation == 0)
        for (long k = 0; k < count; k++) x[k] = 1.f / (1.f + exponential(-x[k]));
    if (activation == 1)
        for (long k = 0; k < count; k++) x[k] = 2.f / (1.f + exponential(-2.f * x[k])) - 1.f;
}

static void slope(float* slopes, const float* y, long count, int activation) {
    if (activation == 0)
        for (long k = 0; k < count; k++) slopes[k] *= y[k] * (1.f - y[k]);
    if (activation == 1)
        for (long k = 0; k < count; k++) slopes[k] *= 1.f - y[k] * y[k];
}

// ---- the pass ------------------------------------------------------------------------------------

// Adds up the separate positions of vectors, and clears them.
static void drain(Vec* sums, double* totals, long count) {
    for (long k = 0; k < count; k++) {
        float sum = 0;
        for (int place = 0; place < 16; place++) sum += sums[k][place];
        totals[k] += sum;
        sums[k] = Vec{};
    }
}

// Returns the sum of squared errors of n examples, and adds its gradient to those of weights and
// biases. `inputs` is (tiles, inputs, T), aligned to 64 bytes; `targets` (outputs, n); `sizes` are
// the values of each level, the inputs' first.
extern "C" double full_batch(const Layer* layers, int count, const int* sizes, int levels,
                             const float* inputs, const float* targets, long n,
                             const float* const* weights, const float* const* biases,
                             double* const* weight_slopes, double* const* bias_slopes) {
    std::vector<Room> values, slopes, weight_sums, bias_sums;
    for (int level = 0; level <= levels; level++) {
        values.push_back(level ? room(long(sizes[level]) * V) : nullptr);
        slopes.push_back(room(long(sizes[level]) * V));
    }
    for (int k = 0; k < count; k++) {
        const long outputs = long(layers[k].blocks) * layers[k].outputs;
        weight_sums.push_back(room(outputs * layers[k].inputs));
        bias_sums.push_back(room(outputs));
    }
    double total = 0;
    for (long begin = 0; begin < n; begin += T) {
        const Vec* first = reinterpret_cast<const Vec*>(inputs + begin * sizes[0]);
        auto read = [&](int level) { return level ? values[level].get() : first; };
        for (int k = 0; k < count; k++) {
            const Layer& l = layers[k];
            Vec* to = values[l.level + 1].get() + l.to * V;
            for (int b = 0; b < l.blocks; b++)
                product(weights[k] + long(b) * l.outputs * l.inputs, l.inputs, 1,
                        biases[k] + b * l.outputs, read(l.level) + (l.from + b * l.inputs) * V,
                        to + b * l.outputs * V, l.outputs, l.inputs);
            squash(reinterpret_cast<float*>(to), long(l.blocks) * l.outputs * T, l.activation);
        }
        const float* outputs = reinterpret_cast<float*>(values[levels].get());
        float* misses = reinterpret_cast<float*>(slopes[levels].get());
        const long filled = n - begin < T ? n - begin : T;  // the last tile's rest is ignored
        for (int o = 0; o < sizes[levels]; o++)
            for (long t = 0; t < T; t++) {
                const float miss =
                    t < filled ? outputs[o * T + t] - targets[o * n + begin + t] : 0.f;
                total += miss * miss;
                misses[o * T + t] = 2 * miss;
            }
        for (int k = count - 1; k >= 0; k--) {
            const Layer& l = layers[k];
            Vec* of = slopes[l.level + 1].get() + l.to * V;
            slope(reinterpret_cast<float*>(of),
                  reinterpret_cast<float*>(values[l.level + 1].get() + l.to * V),
                  long(l.blocks) * l.outputs * T, l.activation);
            for (int b = 0; b < l.blocks; b++) {
                const Vec* own = of + b * l.outputs * V;
                const long at = (l.from + b * l.inputs) * V;
                const long block = long(b) * l.outputs * l.inputs;
                outer(own, read(l.level) + at, weight_sums[k].get() + block, l.outputs, l.inputs);
                for (int o = 0; o < l.outputs; o++)
                    for (int v = 0; v < V; v++) bias_sums[k][b * l.outputs + o] += own[o * V + v];
                if (l.level)
                    product(weights[k] + block, 1, l.inputs, nullptr, own,
                            slopes[l.level].get() + at, l.inputs, l.outputs);
            }
        }
        // long float sums would lose small terms: every few thousand examples go to doubles
        if (begin / T % 64 == 63 || begin + T >= n)
            for (int k = 0; k < count; k++) {
                const long outputs = long(layers[k].blocks) * layers[k].outputs;
                drain(weight_sums[k].get(), weight_slopes[k], outputs * layers[k].inputs);
                drain(bias_sums[k].get(), bias_slopes[k], outputs);
            }
    }
    return total;
}
