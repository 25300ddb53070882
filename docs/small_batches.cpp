// An epoch of small batches: RMSProp on a layered network of logistic neurons.
//
// Compiled by docs/natively.py for the CPU that it runs on. Most inputs are zero, and are skipped.
// A neuron's weights go across rows, an input's along one. Rows are padded to whole vectors with
// weights that are zero and stay so.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

typedef float Vec __attribute__((vector_size(64)));
constexpr int WIDTH = 16;  // floats in a vector
constexpr int MOST = 16;   // vectors in a row, at most

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};

// Floats, initially zero, aligned to whole vectors.
struct Room {
    long count;
    std::unique_ptr<float[], Free> floats;

    explicit Room(long count) : count(count) {
        const long bytes = (count + WIDTH - 1) / WIDTH * 64;
        floats.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
        std::memset(floats.get(), 0, bytes);
    }
    float* get() const { return floats.get(); }
};

// A layer that is fully connected inside each of its blocks: `weights` (blocks, inputs, vectors),
// `biases` (blocks, vectors), all aligned to 64 bytes. `squares` are RMSProp's means. A frozen
// layer does not learn, nor do those below it.
struct Layer {
    int blocks, inputs, outputs, frozen;
    float *weights, *biases, *weight_squares, *bias_squares;

    int vectors() const { return (outputs + WIDTH - 1) / WIDTH; }
    long row() const { return long(vectors()) * WIDTH; }
    long size() const { return blocks * row() * inputs; }
};

// ---- a block, N vectors of outputs ---------------------------------------------------------------

// to = bias + sum over i of x[i] w[i]
template <int N>
static void forward(const Vec* w, const Vec* bias, const float* x, Vec* to, int inputs) {
    Vec sums[N];
    for (int k = 0; k < N; k++) sums[k] = bias[k];
    for (int i = 0; i < inputs; i++)
        if (x[i] != 0.f)
            for (int k = 0; k < N; k++) sums[k] += x[i] * w[i * N + k];
    for (int k = 0; k < N; k++) to[k] = sums[k];
}

// own[i] += x[i] slopes, if it learns; below[i] = the sum of w[i] slopes, if requested
template <int N>
static void backward(const Vec* w, const Vec* slopes, const float* x, Vec* own, float* below,
                     int inputs) {
    Vec of[N];
    for (int k = 0; k < N; k++) of[k] = slopes[k];
    for (int i = 0; own && i < inputs; i++)
        if (x[i] != 0.f)
            for (int k = 0; k < N; k++) own[i * N + k] += x[i] * of[k];
    for (int i = 0; below && i < inputs; i++) {
        Vec sums = w[i * N] * of[0];
        for (int k = 1; k < N; k++) sums += w[i * N + k] * of[k];
        float sum = 0;
        for (int place = 0; place < WIDTH; place++) sum += sums[place];
        below[i] = sum;
    }
}

constexpr decltype(&forward<1>) onward[MOST + 1] = {
    nullptr, forward<1>, forward<2>, forward<3>, forward<4>, forward<5>, forward<6>, forward<7>,
    forward<8>, forward<9>, forward<10>, forward<11>, forward<12>, forward<13>, forward<14>,
    forward<15>, forward<16>};
constexpr decltype(&backward<1>) back[MOST + 1] = {
    nullptr, backward<1>, backward<2>, backward<3>, backward<4>, backward<5>, backward<6>,
    backward<7>, backward<8>, backward<9>, backward<10>, backward<11>, backward<12>,
    backward<13>, backward<14>, backward<15>, backward<16>};

// ---- losses and steps ----------------------------------------------------------------------------

static inline float logistic(float x) { return 1.f / (1.f + std::exp(-(x > -80.f ? x : -80.f))); }

// Returns an example's loss and sets the slopes of its `count` outputs' sums. `loss` is 0 for the
// cross-entropy of the reproduced inputs, 1 for that of the tricks, 2 for one output's squared
// error with tricks on [0, 1].
static float miss(int loss, const float* sums, const float* inputs, int tricks, int count,
                  float* slopes) {
    float total = 0;
    if (loss == 0)
        for (int o = 0; o < count; o++) {
            const float size = std::fabs(sums[o]), small = std::exp(-(size < 80.f ? size : 80.f));
            total += (sums[o] > 0 ? sums[o] : 0.f) - inputs[o] * sums[o] + std::log(1.f + small);
            slopes[o] = (sums[o] > 0 ? 1.f : small) / (1.f + small) - inputs[o];
        }
    if (loss == 1) {
        float most = sums[0], whole = 0;
        for (int o = 1; o < count; o++) most = sums[o] > most ? sums[o] : most;
        for (int o = 0; o < count; o++) whole += slopes[o] = std::exp(sums[o] - most);
        for (int o = 0; o < count; o++) slopes[o] = slopes[o] / whole - (o == tricks);
        total = most + std::log(whole) - sums[tricks];
    }
    if (loss == 2) {
        const float y = logistic(sums[0]), off = y - (tricks + 0.5f) / 14;
        total = off * off;
        slopes[0] = 2 * off * y * (1 - y);
    }
    return total;
}

static void change(float* __restrict w, float* __restrict squares, const Room& sums, float share,
                   float rate, float decay) {
    float* __restrict slopes = sums.get();
    for (long k = 0; k < sums.count; k++) {
        const float slope = slopes[k] * share;
        // the added term is negligible beside 1e-8 squared; without it squares would shrink below
        // the normal range of a float, and their fast square roots would be NaN
        squares[k] = decay * squares[k] + (1 - decay) * slope * slope + 1e-30f;
        w[k] -= rate * slope / (std::sqrt(squares[k]) + 1e-8f);
        slopes[k] = 0;
    }
}

// ---- the epoch -----------------------------------------------------------------------------------

// Passes once over n examples in their order; returns the sum of their losses, each before the
// change that its batch makes. `inputs` is (n, inputs of the first layer), `tricks` (n). A row of
// weights has at most MOST vectors.
extern "C" double epoch(const Layer* layers, int levels, const uint8_t* inputs,
                        const int64_t* tricks, const int64_t* order, long n, int batch, int loss,
                        float rate, float decay) {
    // for each level the values and slopes of all its blocks' outputs, one after the other
    std::vector<Room> values, slopes, weight_sums, bias_sums;
    const int size = layers[0].blocks * layers[0].inputs;
    values.emplace_back(size), slopes.emplace_back(0);
    int learns = levels;  // from this level up
    for (int k = 0; k < levels; k++) {
        const Layer& l = layers[k];
        values.emplace_back(long(l.blocks) * l.outputs), slopes.emplace_back(values.back().count);
        weight_sums.emplace_back(l.frozen ? 0 : l.size());
        bias_sums.emplace_back(l.frozen ? 0 : l.blocks * l.row());
        if (learns == levels && !l.frozen) learns = k;
    }
    alignas(64) float whole[MOST * WIDTH];  // a block's outputs, in whole vectors
    auto vectors = [](const float* floats) { return reinterpret_cast<const Vec*>(floats); };
    double total = 0;
    for (long begin = 0; begin < n; begin += batch) {
        const long end = begin + batch < n ? begin + batch : n;
        for (long at = begin; at < end; at++) {
            const uint8_t* example = inputs + order[at] * size;
            for (int i = 0; i < size; i++) values[0].get()[i] = example[i];
            for (int k = 0; k < levels; k++) {
                const Layer& l = layers[k];
                for (int b = 0; b < l.blocks; b++) {
                    onward[l.vectors()](vectors(l.weights + b * l.row() * l.inputs),
                                        vectors(l.biases + b * l.row()),
                                        values[k].get() + b * l.inputs,
                                        reinterpret_cast<Vec*>(whole), l.inputs);
                    std::memcpy(values[k + 1].get() + b * l.outputs, whole, l.outputs * 4);
                }
                float* y = values[k + 1].get();
                for (long o = 0; k + 1 < levels && o < values[k + 1].count; o++)
                    y[o] = logistic(y[o]);
            }
            total += miss(loss, values[levels].get(), values[0].get(), int(tricks[order[at]]),
                          int(values[levels].count), slopes[levels].get());
            for (int k = levels - 1; k >= learns; k--) {
                const Layer& l = layers[k];
                float *below = k > learns ? slopes[k].get() : nullptr, *x = values[k].get();
                for (int b = 0; b < l.blocks; b++) {
                    const long from = b * l.row() * l.inputs;
                    std::memset(whole, 0, l.row() * 4);
                    std::memcpy(whole, slopes[k + 1].get() + b * l.outputs, l.outputs * 4);
                    float* own = l.frozen ? nullptr : weight_sums[k].get() + from;
                    back[l.vectors()](vectors(l.weights + from), vectors(whole), x + b * l.inputs,
                                      reinterpret_cast<Vec*>(own),
                                      below ? below + b * l.inputs : nullptr, l.inputs);
                    float* bias = l.frozen ? nullptr : bias_sums[k].get() + b * l.row();
                    for (int o = 0; bias && o < l.row(); o++) bias[o] += whole[o];
                }
                for (long i = 0; below && i < slopes[k].count; i++) below[i] *= x[i] * (1 - x[i]);
            }
        }
        for (int k = learns; k < levels; k++) {
            const Layer& l = layers[k];
            const float share = 1.f / (end - begin);
            change(l.weights, l.weight_squares, weight_sums[k], share, rate, decay);
            change(l.biases, l.bias_squares, bias_sums[k], share, rate, decay);
        }
    }
    return total;
}
