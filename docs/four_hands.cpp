// The squared error of the softmax over all examples, and its gradient, for networks of four hands.
//
// Compiled by docs/natively.py for the CPU that it runs on. Every card is in one of four hands. So
// the first layer's sums are looked up, three cards at a time, and its gradient is summed in the
// same way. Other layers are fully connected. A tile of examples goes forward and backward through
// all of them while it is in the cache.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

typedef float Vec __attribute__((vector_size(32)));
constexpr int WIDTH = 8;                // floats in a vector
constexpr int MOST = 20;                // vectors in a row, at most
constexpr int T = 30, LANES = 32;       // examples in a tile, and places for their numbers
constexpr int THREES = 18, WAYS = 64;   // groups of three cards, and ways to deal each
#ifdef __AVX512VL__                     // 32 registers
constexpr int SUMS = 26, PART = 5;      // sums held in registers at a time, and for one row
#else
constexpr int SUMS = 12, PART = 4;
#endif

struct Free {
    void operator()(void* memory) const { std::free(memory); }
};

// Rows of vectors, initially zero.
struct Room {
    int row;
    long count;
    std::unique_ptr<Vec[], Free> vectors;

    Room(long rows, int row) : row(row), count(rows * row) {
        const long bytes = (32 * count + 63) / 64 * 64;
        vectors.reset(static_cast<Vec*>(std::aligned_alloc(64, bytes)));
        std::memset(static_cast<void*>(vectors.get()), 0, bytes);
    }
    Vec* at(long r) const { return vectors.get() + r * row; }
    float* floats(long r) const { return reinterpret_cast<float*>(at(r)); }
};

static inline Vec splat(float x) { return x - Vec{}; }
static int vectors_of(int floats) { return (floats + WIDTH - 1) / WIDTH; }

// Calls `what` with the row length N as a constant.
template <int N = 1, class What>
static void of_length(int vectors, What&& what) {
    if (vectors == N) what(std::integral_constant<int, N>{});
    else if constexpr (N < MOST) of_length<N + 1>(vectors, what);
}

// Splits rows that are too long for the registers into parts.
template <class What>
static void in_parts(int row, What&& what) {
    for (int k = 0; k < row;) {
        const int parts = (row - k + PART - 1) / PART, size = (row - k + parts - 1) / parts;
        of_length(size, [&](auto n) {
            if constexpr (n <= PART) what(n, k);
        });
        k += size;
    }
}

// How many rows to compute at once: what the registers hold, and a divisor of the tile.
constexpr int together(int vectors) {
    int rows = SUMS / vectors < 6 ? SUMS / vectors : 6;
    while (T % rows) rows--;
    return rows;
}

// ---- fully connected layers ----------------------------------------------------------------------

// to[e] = bias + sum over i of x[e][i] w[i], for E examples
template <int N, int E>
static void some(const Vec* w, const Vec* bias, const float* x, int from, Vec* to, int row,
                 int inputs) {
    Vec sums[E][N];
    for (int e = 0; e < E; e++)
        for (int k = 0; k < N; k++) sums[e][k] = bias ? bias[k] : Vec{};
    for (int i = 0; i < inputs; i++)
        for (int k = 0; k < N; k++) {
            const Vec weights = w[i * row + k];
            for (int e = 0; e < E; e++) sums[e][k] += splat(x[e * from + i]) * weights;
        }
    for (int e = 0; e < E; e++)
        for (int k = 0; k < N; k++) to[e * row + k] = sums[e][k];
}

static void product(const Room& w, const Room* bias, const Room& x, int inputs, const Room& to) {
    in_parts(w.row, [&](auto n, int k) {
        constexpr int E = together(n);
        for (int t = 0; t < T; t += E)
            some<n, E>(w.at(0) + k, bias ? bias->at(0) + k : nullptr, x.floats(t), x.row * WIDTH,
                       to.at(t) + k, w.row, inputs);
    });
}

// sums[r] += sum over the tile of slopes[t][r] x[t], for R rows
template <int N, int R>
static void corner(const float* slopes, int from, const Vec* x, int row, Vec* sums) {
    Vec own[R][N];
    for (int r = 0; r < R; r++)
        for (int k = 0; k < N; k++) own[r][k] = sums[r * row + k];
    for (int t = 0; t < T; t++)
        for (int k = 0; k < N; k++) {
            const Vec value = x[t * row + k];
            for (int r = 0; r < R; r++) own[r][k] += splat(slopes[t * from + r]) * value;
        }
    for (int r = 0; r < R; r++)
        for (int k = 0; k < N; k++) sums[r * row + k] = own[r][k];
}

static void outer(const Room& slopes, int outputs, const Room& x, const Room& sums) {
    in_parts(x.row, [&](auto n, int k) {
        constexpr int R = together(n);
        const int from = slopes.row * WIDTH;
        int o = 0;
        for (; o + R <= outputs; o += R)
            corner<n, R>(slopes.floats(0) + o, from, x.at(0) + k, x.row, sums.at(o) + k);
        for (; o < outputs; o++)
            corner<n, 1>(slopes.floats(0) + o, from, x.at(0) + k, x.row, sums.at(o) + k);
    });
}

// ---- the first layer: rows of a table, one for each deal of three cards --------------------------

template <int N>
static void look_up(const Room& table, const Room& bias, const uint8_t* ways, Vec* to) {
    Vec sums[N];
    for (int k = 0; k < N; k++) sums[k] = bias.at(0)[k];
    for (int g = 0; g < THREES; g++)
        for (int k = 0; k < N; k++) sums[k] += table.at(0)[(g * WAYS + ways[g]) * N + k];
    for (int k = 0; k < N; k++) to[k] = sums[k];
}

template <int N>
static void scatter(const Room& table, const uint8_t* ways, const Vec* slopes) {
    Vec of[N];
    for (int k = 0; k < N; k++) of[k] = slopes[k];
    for (int g = 0; g < THREES; g++)
        for (int k = 0; k < N; k++) table.at(0)[(g * WAYS + ways[g]) * N + k] += of[k];
}

// Calls `what` for each row of the table and each card in it, with the row and the card's input.
template <class What>
static void each_card(What&& what) {
    for (int g = 0; g < THREES; g++)
        for (int way = 0; way < WAYS; way++)
            for (int c = 0; c < 3 && g * 3 + c < 52; c++)
                what(g * WAYS + way, (way >> 2 * c & 3) * 52 + g * 3 + c);
}

// ---- activations and the error -------------------------------------------------------------------

static void squash(const Room& room) {
    float* x = room.floats(0);
    for (long k = 0; k < room.count * WIDTH; k++)
        x[k] = 1.f / (1.f + std::exp(-(x[k] > -80.f ? x[k] : -80.f)));
}

static void slope(const Room& slopes, const Room& values) {
    for (long k = 0; k < slopes.count; k++) {
        const Vec y = values.at(0)[k];
        slopes.at(0)[k] *= y * (1.f - y);
    }
}

// Sets the slopes of a tile's sums. Returns the sum of the errors of those examples that are used,
// the mean squared errors of the softmax. A target is a row of `targets`, of `count` floats.
static double miss(const Room& sums, const int64_t* tricks, const float* targets, int count,
                   int used, const Room& slopes) {
    float p[MOST * WIDTH][LANES], off[MOST * WIDTH][LANES];
    float most[LANES], whole[LANES] = {}, error[LANES] = {}, weighed[LANES] = {};
    for (int o = 0; o < count; o++)
        for (int t = 0; t < LANES; t++) {
            p[o][t] = t < T ? sums.floats(t)[o] : 0;
            off[o][t] = t < used ? targets[tricks[t] * count + o] : 0;
        }
    std::memcpy(most, p[0], sizeof(most));
    for (int o = 1; o < count; o++)
        for (int t = 0; t < LANES; t++) most[t] = p[o][t] > most[t] ? p[o][t] : most[t];
    for (int o = 0; o < count; o++)
        for (int t = 0; t < LANES; t++) whole[t] += p[o][t] = std::exp(p[o][t] - most[t]);
    for (int o = 0; o < count; o++)
        for (int t = 0; t < LANES; t++) {
            p[o][t] /= whole[t];
            off[o][t] = p[o][t] - off[o][t];
            error[t] += off[o][t] * off[o][t];
            weighed[t] += off[o][t] * p[o][t];
        }
    for (int o = 0; o < count; o++)
        for (int t = 0; t < T; t++)
            slopes.floats(t)[o] =
                t < used ? p[o][t] * (off[o][t] - weighed[t]) * 2 / count : 0;
    double total = 0;
    for (int t = 0; t < T && t < used; t++) total += error[t];
    return total / count;
}

// ---- the pass ------------------------------------------------------------------------------------

// A layer as given: weights are (outputs, inputs).
struct Layer {
    int inputs, outputs;
    const float *weights, *biases;
    double *weight_slopes, *bias_slopes;
};

// A layer as computed.
struct Level {
    int inputs, outputs;
    Room forward, backward, biases;  // (inputs, outputs), (outputs, inputs), (1, outputs)
    Room values, slopes;             // (T, outputs): outputs, and the error's slopes by their sums
    Room weight_sums, bias_sums;     // slopes, shaped like `backward` and `biases`

    explicit Level(const Layer& l)
        : inputs(l.inputs), outputs(l.outputs), forward(inputs, vectors_of(outputs)),
          backward(outputs, vectors_of(inputs)), biases(1, forward.row), values(T, forward.row),
          slopes(T, forward.row), weight_sums(outputs, backward.row), bias_sums(1, forward.row) {
        for (int o = 0; o < outputs; o++) {
            biases.floats(0)[o] = l.biases[o];
            for (int i = 0; i < inputs; i++)
                forward.floats(i)[o] = backward.floats(o)[i] = l.weights[o * inputs + i];
        }
    }
};

// Adds sums to totals, and clears them.
static void drain(const Room& sums, double* totals, int rows, int size) {
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < size; k++) totals[long(r) * size + k] += sums.floats(r)[k];
    for (long k = 0; k < sums.count; k++) sums.at(0)[k] = Vec{};
}

// Returns the sum of the errors of n examples, and adds its gradient to those of the layers. `ways`
// is (n, THREES), how three cards each are dealt; `tricks` (n); `targets` (tricks, outputs).
extern "C" double four_hands(const Layer* layers, int count, const uint8_t* ways,
                             const int64_t* tricks, const float* targets, long n) {
    std::vector<Level> levels;
    for (int k = 0; k < count; k++) levels.emplace_back(layers[k]);
    Level &first = levels.front(), &last = levels.back();
    const Room table(THREES * WAYS, first.forward.row), table_sums(THREES * WAYS, table.row);
    each_card([&](int row, int input) {
        for (int k = 0; k < table.row; k++) table.at(row)[k] += first.forward.at(input)[k];
    });
    double total = 0;
    for (long begin = 0; begin < n; begin += T) {
        // the unused rest of the last tile is left out below
        auto of = [&](int t) { return begin + t < n ? begin + t : n - 1; };
        of_length(table.row, [&](auto length) {
            for (int t = 0; t < T; t++)
                look_up<length>(table, first.biases, ways + of(t) * THREES, first.values.at(t));
        });
        for (int k = 1; k < count; k++) {
            const Level &l = levels[k], &below = levels[k - 1];
            squash(below.values);
            product(l.forward, &l.biases, below.values, l.inputs, l.values);
        }
        const int used = n - begin < T ? n - begin : T;
        total += miss(last.values, tricks + begin, targets, last.outputs, used, last.slopes);
        for (int k = count - 1; k > 0; k--) {
            const Level &l = levels[k], &below = levels[k - 1];
            outer(l.slopes, l.outputs, below.values, l.weight_sums);
            product(l.backward, nullptr, l.slopes, l.outputs, below.slopes);
            slope(below.slopes, below.values);
        }
        for (const Level& l : levels)
            for (int k = 0; k < l.slopes.row; k++) {
                Vec sum = l.bias_sums.at(0)[k];
                for (int t = 0; t < T; t++) sum += l.slopes.at(t)[k];
                l.bias_sums.at(0)[k] = sum;
            }
        of_length(table.row, [&](auto length) {
            for (int t = 0; t < T; t++)
                scatter<length>(table_sums, ways + of(t) * THREES, first.slopes.at(t));
        });
        // long float sums would lose small terms: every few thousand examples go to doubles
        if (begin / T % 128 == 127 || begin + T >= n)
            for (int k = 0; k < count; k++) {
                const Level& l = levels[k];
                drain(l.bias_sums, layers[k].bias_slopes, 1, l.outputs);
                if (k) drain(l.weight_sums, layers[k].weight_slopes, l.outputs, l.inputs);
            }
    }
    each_card([&](int row, int input) {
        for (int o = 0; o < first.outputs; o++)
            layers[0].weight_slopes[long(o) * first.inputs + input] += table_sums.floats(row)[o];
    });
    return total;
}
