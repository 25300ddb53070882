// The errors of networks of four hands over all examples, and their gradients: the squared error of
// the softmax, and what autoencoders of one layer fail to reproduce, by cross-entropy.
//
// Compiled by docs/natively.py for the CPU that it runs on. Every card is in one of four hands. So
// the first layer's sums are looked up, three cards at a time, and its gradient is summed in the
// same way. Other layers are fully connected. So are a decoder's blocks, each by itself. A tile of
// examples goes forward and backward through all of them while it is in the cache.

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

// Sets the slopes of a tile's sums, by a logistic output whose target is 0. Returns the sum of the
// errors of those examples that are used, in nats.
static double miss_zeros(const Room& sums, int used, const Room& slopes) {
    const float* from = sums.floats(0);
    float *to = slopes.floats(0), left[T * WIDTH];
    double total = 0;
    for (long k = 0; k < sums.count * WIDTH; k++) to[k] = std::exp(-std::fabs(from[k]));
    for (int t = 0; t < T; t++) {
        Vec product = splat(1), whole = {};  // of 1 + e, whose logarithm is what remains
        for (int k = 0; k < sums.row; k++) {
            const Vec sum = sums.at(t)[k], e = slopes.at(t)[k];
            product *= 1 + e;
            whole += sum > 0 ? sum : Vec{};
            slopes.at(t)[k] = t < used ? (sum > 0 ? splat(1) : e) / (1 + e) : Vec{};
        }
        for (int k = 0; k < WIDTH; k++) {
            left[t * WIDTH + k] = product[k];
            total += t < used ? whole[k] : 0;
        }
    }
    for (int k = 0; k < T * WIDTH; k++) left[k] = std::log(left[k]);
    for (int k = 0; k < T * WIDTH && k < used * WIDTH; k++) total += left[k];
    return total;
}

// ---- layers --------------------------------------------------------------------------------------

// A layer as given: weights are (outputs, inputs). Without slopes it is frozen.
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

// Calls `what` for each row of the table and each card in it, with the row and the card's input.
template <class What>
static void each_card(What&& what) {
    for (int g = 0; g < THREES; g++)
        for (int way = 0; way < WAYS; way++)
            for (int c = 0; c < 3 && g * 3 + c < 52; c++)
                what(g * WAYS + way, (way >> 2 * c & 3) * 52 + g * 3 + c);
}

// The first layer: rows of a table, one for each deal of three cards. `ways` is (n, THREES).
struct First : Level {
    Room table, table_sums;
    const uint8_t* ways;
    long n;

    First(const Layer& l, const uint8_t* ways, long n)
        : Level(l), table(THREES * WAYS, forward.row), table_sums(THREES * WAYS, forward.row),
          ways(ways), n(n) {
        each_card([&](int row, int input) {
            for (int k = 0; k < table.row; k++) table.at(row)[k] += forward.at(input)[k];
        });
    }

    // how an example's cards are dealt; the last tile is filled with the last example
    const uint8_t* of(long example) const { return ways + (example < n ? example : n - 1) * THREES; }

    void look_up(long begin) const {
        of_length(table.row, [&](auto length) {
            constexpr int N = length;
            for (int t = 0; t < T; t++) {
                Vec sums[N];
                for (int k = 0; k < N; k++) sums[k] = biases.at(0)[k];
                for (int g = 0; g < THREES; g++) {
                    const Vec* row = table.at(g * WAYS + of(begin + t)[g]);
                    for (int k = 0; k < N; k++) sums[k] += row[k];
                }
                for (int k = 0; k < N; k++) values.at(t)[k] = sums[k];
            }
        });
    }

    void scatter(long begin) const {
        of_length(table.row, [&](auto length) {
            constexpr int N = length;
            for (int t = 0; t < T; t++) {
                Vec own[N];
                for (int k = 0; k < N; k++) own[k] = slopes.at(t)[k];
                for (int g = 0; g < THREES; g++) {
                    Vec* row = table_sums.at(g * WAYS + of(begin + t)[g]);
                    for (int k = 0; k < N; k++) row[k] += own[k];
                }
            }
        });
    }

    void finish(double* weight_slopes) const {
        each_card([&](int row, int input) {
            for (int o = 0; o < outputs; o++)
                weight_slopes[long(o) * inputs + input] += table_sums.floats(row)[o];
        });
    }
};

// Adds the slopes of a tile to the sums of biases.
static void lean(const Level& l) {
    for (int k = 0; k < l.slopes.row; k++) {
        Vec sum = l.bias_sums.at(0)[k];
        for (int t = 0; t < T; t++) sum += l.slopes.at(t)[k];
        l.bias_sums.at(0)[k] = sum;
    }
}

// Whether a tile ends a portion of a few thousand examples, whose sums go to doubles: longer float
// sums would lose small terms.
static bool ends(long begin, long n) { return begin / T % 128 == 127 || begin + T >= n; }

// ---- the passes ----------------------------------------------------------------------------------

// Returns the sum of the errors of n examples, and adds its gradient to those of the layers. `ways`
// is (n, THREES), how three cards each are dealt; `tricks` (n); `targets` (tricks, outputs).
extern "C" double four_hands(const Layer* layers, int count, const uint8_t* ways,
                             const int64_t* tricks, const float* targets, long n) {
    const First first(layers[0], ways, n);
    std::vector<Level> others;
    others.reserve(count);
    std::vector<const Level*> levels{&first};
    for (int k = 1; k < count; k++) levels.push_back(&others.emplace_back(layers[k]));
    const Level& last = *levels.back();
    const bool frozen = !layers[0].weight_slopes;
    double total = 0;
    for (long begin = 0; begin < n; begin += T) {
        first.look_up(begin);
        for (int k = 1; k < count; k++) {
            const Level &l = *levels[k], &below = *levels[k - 1];
            squash(below.values);
            product(l.forward, &l.biases, below.values, l.inputs, l.values);
        }
        const int used = n - begin < T ? n - begin : T;
        total += miss(last.values, tricks + begin, targets, last.outputs, used, last.slopes);
        for (int k = count - 1; k > 0; k--) {
            const Level &l = *levels[k], &below = *levels[k - 1];
            outer(l.slopes, l.outputs, below.values, l.weight_sums);
            lean(l);
            if (k == 1 && frozen) break;
            product(l.backward, nullptr, l.slopes, l.outputs, below.slopes);
            slope(below.slopes, below.values);
        }
        if (!frozen) {
            lean(first);
            first.scatter(begin);
        }
        if (!ends(begin, n)) continue;
        for (int k = 1; k < count; k++) {
            const Level& l = *levels[k];
            drain(l.bias_sums, layers[k].bias_slopes, 1, l.outputs);
            drain(l.weight_sums, layers[k].weight_slopes, l.outputs, l.inputs);
        }
        if (!frozen) drain(first.bias_sums, layers[0].bias_slopes, 1, first.outputs);
    }
    if (!frozen) first.finish(layers[0].weight_slopes);
    return total;
}

// The same for an autoencoder: the first layer, and the blocks of its decoder, which have equally
// many of its neurons each and equally many of the inputs to reproduce.
extern "C" double decoded_hands(const Layer* encoder, const Layer* blocks, int count,
                                const uint8_t* ways, long n) {
    const First first(*encoder, ways, n);
    std::vector<Level> decoders;
    std::vector<Room> hidden, hidden_slopes;  // (T, neurons), for each block
    for (int b = 0; b < count; b++) {
        const Level& l = decoders.emplace_back(blocks[b]);
        hidden.emplace_back(T, l.backward.row);
        hidden_slopes.emplace_back(T, l.backward.row);
        // what only fills a row is a certain 0, and has no error
        for (int o = l.outputs; o < l.forward.row * WIDTH; o++) l.biases.floats(0)[o] = -100;
    }
    const int neurons = blocks[0].inputs, size = blocks[0].outputs;
    double total = 0;
    for (long begin = 0; begin < n; begin += T) {
        const int used = n - begin < T ? n - begin : T;
        first.look_up(begin);
        squash(first.values);
        for (int b = 0; b < count; b++) {
            const Level& l = decoders[b];
            for (int t = 0; t < T; t++)
                std::memcpy(hidden[b].floats(t), first.values.floats(t) + b * neurons,
                            sizeof(float) * neurons);
            product(l.forward, &l.biases, hidden[b], neurons, l.values);
            total += miss_zeros(l.values, used, l.slopes);
        }
        for (int t = 0; t < used; t++)  // the targets that are 1: a card's hand
            for (int card = 0; card < 52; card++) {
                const int input = (first.of(begin + t)[card / 3] >> 2 * (card % 3) & 3) * 52 + card;
                const Level& l = decoders[input / size];
                total -= l.values.floats(t)[input % size];
                l.slopes.floats(t)[input % size] -= 1;
            }
        for (int b = 0; b < count; b++) {
            const Level& l = decoders[b];
            outer(l.slopes, size, hidden[b], l.weight_sums);
            lean(l);
            product(l.backward, nullptr, l.slopes, size, hidden_slopes[b]);
            for (int t = 0; t < T; t++)
                std::memcpy(first.slopes.floats(t) + b * neurons, hidden_slopes[b].floats(t),
                            sizeof(float) * neurons);
        }
        slope(first.slopes, first.values);
        lean(first);
        first.scatter(begin);
        if (!ends(begin, n)) continue;
        for (int b = 0; b < count; b++) {
            drain(decoders[b].bias_sums, blocks[b].bias_slopes, 1, size);
            drain(decoders[b].weight_sums, blocks[b].weight_slopes, size, neurons);
        }
        drain(first.bias_sums, encoder->bias_slopes, 1, first.outputs);
    }
    first.finish(encoder->weight_slopes);
    return total;
}
