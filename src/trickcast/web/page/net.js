// Runs trickcast's networks: reads an ONNX file, and computes the operations that these consist of.
// A tensor is {dims, data}. What depends on no input is computed once, when the file is read.

const READERS = {
  1: (bytes) => new Float32Array(bytes),
  2: (bytes) => new Uint8Array(bytes),
  3: (bytes) => new Int8Array(bytes),
  6: (bytes) => new Int32Array(bytes),
  7: (bytes) => Int32Array.from(new BigInt64Array(bytes), Number),
  10: (bytes) => Float32Array.from(new Uint16Array(bytes), half),
};

function half(bits) {
  const sign = bits >> 15 ? -1 : 1;
  const power = (bits >> 10) & 31;
  const rest = bits & 1023;
  return power ? sign * 2 ** (power - 15) * (1 + rest / 1024) : sign * 2 ** -24 * rest;
}

/** Yield the fields of a protobuf message: [number, value], the value a number or bytes. */
function* fields(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const kind = key & 7;
    if (kind === 0) yield [key >> 3, varint()];
    else if (kind === 2) {
      const size = varint();
      yield [key >> 3, bytes.subarray(at, (at += size))];
    } else {
      yield [key >> 3, kind === 5 ? view.getFloat32(at, true) : view.getFloat64(at, true)];
      at += kind === 5 ? 4 : 8;
    }
  }
}

const text = (bytes) => new TextDecoder().decode(bytes);

/** Numbers of a repeated field, packed or not. */
function numbers(value) {
  if (typeof value === "number") return [value];
  const all = [];
  let current = 0;
  let scale = 1;
  for (const byte of value) {
    current += (byte & 127) * scale;
    scale *= 128;
    if (byte < 128) {
      all.push(current);
      current = 0;
      scale = 1;
    }
  }
  return all;
}

function tensorOf(bytes) {
  const dims = [];
  let type, name, raw;
  for (const [field, value] of fields(bytes)) {
    if (field === 1) dims.push(...numbers(value));
    else if (field === 2) type = value;
    else if (field === 8) name = text(value);
    else if (field === 9) raw = Uint8Array.from(value).buffer;
  }
  return { name, dims, data: READERS[type](raw ?? new ArrayBuffer(0)) };
}

function nodeOf(bytes) {
  const node = { inputs: [], outputs: [], op: "", attributes: {} };
  for (const [field, value] of fields(bytes)) {
    if (field === 1) node.inputs.push(text(value));
    else if (field === 2) node.outputs.push(text(value));
    else if (field === 4) node.op = text(value);
    else if (field === 5) {
      let name;
      const found = [];
      for (const [part, content] of fields(value)) {
        if (part === 1) name = text(content);
        else if (part === 2 || part === 3) found.push(content);
        else if (part === 8) found.push(numbers(content));
      }
      const lists = found.filter(Array.isArray).flat();
      node.attributes[name] = lists.length ? lists : found[0];
    }
  }
  return node;
}

const size = (dims) => dims.reduce((product, dim) => product * dim, 1);
const floats = (dims) => ({ dims, data: new Float32Array(size(dims)) });
const map = ({ dims, data }, use) => ({ dims, data: Float32Array.from(data).map(use) });
const axisOf = (axis, { dims }) => (axis < 0 ? axis + dims.length : axis);

/** Apply a function to two tensors, the smaller repeated as NumPy does. */
function both(a, b, use) {
  const rank = Math.max(a.dims.length, b.dims.length);
  const padded = [a, b].map(({ dims }) => [...Array(rank - dims.length).fill(1), ...dims]);
  const dims = padded[0].map((dim, axis) => Math.max(dim, padded[1][axis]));
  const kept = [a, b].map((tensor, which) => {
    let step = size(tensor.dims);
    return padded[which].map((dim) => ((step /= dim), dim === 1 ? 0 : step));
  });
  const whole = a.data instanceof Int32Array && b.data instanceof Int32Array;
  const made = new (whole ? Int32Array : Float32Array)(size(dims));
  const place = new Array(rank).fill(0);
  let left = 0;
  let right = 0;
  for (let i = 0; i < made.length; i += 1) {
    made[i] = use(a.data[left], b.data[right]);
    for (let axis = rank - 1; axis >= 0; axis -= 1) {
      place[axis] += 1;
      left += kept[0][axis];
      right += kept[1][axis];
      if (place[axis] < dims[axis]) break;
      left -= kept[0][axis] * dims[axis];
      right -= kept[1][axis] * dims[axis];
      place[axis] = 0;
    }
  }
  return { dims, data: made };
}

/** Fold the last axes away: `use` gets the values of each group. */
function reduced(tensor, axes, keep, use) {
  const folded = new Set([...axes].map((axis) => axisOf(axis, tensor)));
  const rest = tensor.dims.map((_, axis) => axis).filter((axis) => !folded.has(axis));
  const moved = OPS.Transpose([tensor], { perm: [...rest, ...folded] });
  const group = size([...folded].map((axis) => tensor.dims[axis]));
  const dims = keep ? tensor.dims.map((dim, axis) => (folded.has(axis) ? 1 : dim)) : rest.map((axis) => tensor.dims[axis]);
  const made = floats(dims);
  for (let i = 0; i < made.data.length; i += 1) made.data[i] = use(moved.data.subarray(i * group, (i + 1) * group));
  return made;
}

/** Change every row along the last axis in place of a copy. */
function rows({ dims, data }, use) {
  const made = Float32Array.from(data);
  const width = dims.at(-1);
  for (let start = 0; start < made.length; start += width) use(made.subarray(start, start + width));
  return { dims, data: made };
}

/** rows × inner by inner × columns, into `out`; zeros, of which there are many, cost nothing. */
function multiply(a, b, out, count, inner, columns, aAt, bAt, outAt) {
  const sums = new Float64Array(columns);
  for (let row = 0; row < count; row += 1) {
    sums.fill(0);
    for (let k = 0; k < inner; k += 1) {
      const factor = a[aAt + row * inner + k];
      if (factor === 0) continue;
      const from = bAt + k * columns;
      for (let column = 0; column < columns; column += 1) sums[column] += factor * b[from + column];
    }
    out.set(sums, outAt + row * columns);
  }
}

/** The same of bytes, two rows and four columns at once, in whole numbers; `columns` is a multiple of two. */
function multiplyBytes(a, b, out, count, inner, columns, zero) {
  for (let row = 0; row < count; row += 2) {
    const first = row * inner;
    const second = row + 1 < count ? first + inner : first;
    for (let column = 0; column < columns; column += 4) {
      let [s0, s1, s2, s3, t0, t1, t2, t3] = [0, 0, 0, 0, 0, 0, 0, 0];
      for (let k = 0, at = column; k < inner; k += 1, at += columns) {
        const x = (a[first + k] - zero) | 0;
        const y = (a[second + k] - zero) | 0;
        const [b0, b1, b2, b3] = [b[at], b[at + 1], b[at + 2], b[at + 3]];
        s0 = (s0 + Math.imul(x, b0)) | 0;
        s1 = (s1 + Math.imul(x, b1)) | 0;
        s2 = (s2 + Math.imul(x, b2)) | 0;
        s3 = (s3 + Math.imul(x, b3)) | 0;
        t0 = (t0 + Math.imul(y, b0)) | 0;
        t1 = (t1 + Math.imul(y, b1)) | 0;
        t2 = (t2 + Math.imul(y, b2)) | 0;
        t3 = (t3 + Math.imul(y, b3)) | 0;
      }
      const sums = [s0, s1, s2, s3, t0, t1, t2, t3];
      for (let i = 0; i < 4 && column + i < columns; i += 1) {
        out[row * columns + column + i] = sums[i];
        if (second !== first) out[(row + 1) * columns + column + i] = sums[4 + i];
      }
    }
  }
}

const evenly = (value) => {
  const near = Math.round(value);
  return near - value === 0.5 && near % 2 ? near - 1 : near;
};

function quantized(data, scale, zero) {
  const made = new Uint8ClampedArray(data.length);
  for (let i = 0; i < data.length; i += 1) made[i] = evenly(Math.fround(data[i] / scale)) + zero;
  return made;
}

/** The error function, to float32. */
function erf(x) {
  const t = 1 / (1 + 0.5 * Math.abs(x));
  const series = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368, -1.26551223,
  ].reduce((sum, term) => sum * t + term, 0);
  const tail = t * Math.exp(-x * x + series);
  return x >= 0 ? 1 - tail : tail - 1;
}

const softmax = (row) => {
  const top = row.reduce((a, b) => Math.max(a, b));
  let sum = 0;
  for (let i = 0; i < row.length; i += 1) sum += row[i] = Math.exp(row[i] - top);
  for (let i = 0; i < row.length; i += 1) row[i] /= sum;
};

const OPS = {
  Add: ([a, b]) => both(a, b, (x, y) => x + y),
  Sub: ([a, b]) => both(a, b, (x, y) => x - y),
  Mul: ([a, b]) => both(a, b, (x, y) => x * y),
  Div: ([a, b]) => both(a, b, (x, y) => x / y),
  Max: ([a, b]) => both(a, b, Math.max),
  Pow: ([a, b]) => both(a, b, (x, y) => x ** y),
  Equal: ([a, b]) => both(a, b, (x, y) => Number(x === y)),
  Less: ([a, b]) => both(a, b, (x, y) => Number(x < y)),
  Neg: ([{ dims, data }]) => ({ dims, data: data.map((x) => -x) }),
  Sqrt: ([a]) => map(a, Math.sqrt),
  Relu: ([a]) => map(a, (x) => Math.max(x, 0)),
  Gelu: ([a]) => map(a, (x) => 0.5 * x * (1 + erf(x * Math.SQRT1_2))),
  FastGelu: ([a]) => map(a, (x) => 0.5 * x * (1 + Math.tanh(x * (0.7978845608 + 0.0356774081 * x * x)))),
  Cast: ([a], { to }) => ({ dims: a.dims, data: to === 7 || to === 6 ? Int32Array.from(a.data) : Float32Array.from(a.data) }),
  Shape: ([{ dims }]) => ({ dims: [dims.length], data: Int32Array.from(dims) }),
  Reshape([{ dims, data }, wanted]) {
    const shape = [...wanted.data].map((dim, axis) => (dim === 0 ? dims[axis] : dim));
    const open = shape.indexOf(-1);
    if (open >= 0) shape[open] = data.length / size(shape.filter((_, axis) => axis !== open));
    return { dims: shape, data };
  },
  Transpose([{ dims, data }], { perm }) {
    const steps = dims.map((_, axis) => size(dims.slice(axis + 1)));
    const shape = perm.map((axis) => dims[axis]);
    const by = perm.map((axis) => steps[axis]);
    const made = new data.constructor(data.length);
    const place = new Array(dims.length).fill(0);
    for (let i = 0, from = 0; i < made.length; i += 1) {
      made[i] = data[from];
      for (let axis = dims.length - 1; axis >= 0; axis -= 1) {
        from += by[axis];
        if (++place[axis] < shape[axis]) break;
        from -= by[axis] * shape[axis];
        place[axis] = 0;
      }
    }
    return { dims: shape, data: made };
  },
  Gather([{ dims, data }, chosen], { axis = 0 }) {
    const inner = size(dims.slice(axis + 1));
    const outer = size(dims.slice(0, axis));
    const shape = [...dims.slice(0, axis), ...chosen.dims, ...dims.slice(axis + 1)];
    const made = new data.constructor(size(shape));
    let at = 0;
    for (let block = 0; block < outer; block += 1) {
      for (const place of chosen.data) {
        const start = (block * dims[axis] + place) * inner;
        made.set(data.subarray(start, start + inner), at);
        at += inner;
      }
    }
    return { dims: shape, data: made };
  },
  Concat(parts, { axis = 0 }) {
    const along = axisOf(axis, parts[0]);
    const shape = [...parts[0].dims];
    shape[along] = parts.reduce((sum, { dims }) => sum + dims[along], 0);
    const made = new parts[0].data.constructor(size(shape));
    let at = 0;
    for (let block = 0; block < size(shape.slice(0, along)); block += 1) {
      for (const { dims, data } of parts) {
        const length = size(dims.slice(along));
        made.set(data.subarray(block * length, (block + 1) * length), at);
        at += length;
      }
    }
    return { dims: shape, data: made };
  },
  Split([tensor, sizes], { axis = 0 }) {
    const { dims, data } = tensor;
    const along = axisOf(axis, tensor);
    const inner = size(dims.slice(along + 1));
    const outer = size(dims.slice(0, along));
    let before = 0;
    return [...sizes.data].map((part) => {
      const made = new data.constructor(outer * part * inner);
      for (let block = 0; block < outer; block += 1) {
        const start = (block * dims[along] + before) * inner;
        made.set(data.subarray(start, start + part * inner), block * part * inner);
      }
      before += part;
      return { dims: dims.with(along, part), data: made };
    });
  },
  ReduceMean: ([a, axes], { keepdims = 1 }) =>
    reduced(a, axes.data, keepdims, (group) => group.reduce((sum, x) => sum + x, 0) / group.length),
  ReduceSum: ([a, axes], { keepdims = 1 }) => reduced(a, axes.data, keepdims, (group) => group.reduce((sum, x) => sum + x, 0)),
  ReduceMax: ([a, axes], { keepdims = 1 }) =>
    reduced(a, axes.data, keepdims, (group) => group.reduce((top, x) => Math.max(top, x))),
  Softmax: ([a]) => rows(a, softmax),
  LogSoftmax: ([a]) =>
    rows(a, (row) => {
      const top = row.reduce((x, y) => Math.max(x, y));
      const total = top + Math.log(row.reduce((sum, x) => sum + Math.exp(x - top), 0));
      for (let i = 0; i < row.length; i += 1) row[i] -= total;
    }),
  LayerNormalization: ([a, scale, bias], { epsilon }) =>
    rows(a, (row) => {
      const mean = row.reduce((sum, x) => sum + x, 0) / row.length;
      const spread = Math.sqrt(row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length + epsilon);
      for (let i = 0; i < row.length; i += 1) row[i] = ((row[i] - mean) / spread) * scale.data[i] + (bias ? bias.data[i] : 0);
    }),
  QuantizeLinear: ([{ dims, data }, scale, zero]) => ({
    dims,
    data: quantized(data, scale.data[0], zero.data[0]),
  }),
  MatMulIntegerToFloat([a, b, aScale, bScale, aZero, bZero, bias]) {
    if (bZero.data.some((zero) => zero !== 0)) throw new Error("weights have a zero point");
    const [inner, columns] = b.dims;
    const made = floats([...a.dims.slice(0, -1), columns]);
    multiplyBytes(a.data, b.data, made.data, made.data.length / columns, inner, columns, aZero.data[0]);
    for (let i = 0; i < made.data.length; i += 1) {
      const column = i % columns;
      const scale = Math.fround(aScale.data[0] * bScale.data[column % bScale.data.length]);
      made.data[i] = Math.fround(made.data[i] * scale) + (bias?.data[column] ?? 0);
    }
    return made;
  },
  Gemm([a, b, c], { transA = 0, transB = 0, alpha = 1, beta = 1 }) {
    if (transA || transB || alpha !== 1 || beta !== 1) throw new Error("a Gemm of another kind");
    return OPS.Add([OPS.MatMul([a, b]), c]);
  },
  FusedMatMul([a, b], { transA = 0, transB = 0, alpha = 1 }) {
    if (transA || !transB || alpha !== 1) throw new Error("a FusedMatMul of another kind");
    const rest = b.dims.slice(0, -2).map((_, axis) => axis);
    return OPS.MatMul([a, OPS.Transpose([b], { perm: [...rest, rest.length + 1, rest.length] })]);
  },
  MatMul([a, b]) {
    const [count, inner] = a.dims.slice(-2);
    const columns = b.dims.at(-1);
    const outer = a.dims.length >= b.dims.length ? a.dims.slice(0, -2) : b.dims.slice(0, -2);
    const made = floats([...outer, count, columns]);
    const blocks = size(outer);
    const step = (tensor, block) => (block * size(tensor.dims.slice(-2))) % size(tensor.dims);
    for (let block = 0; block < blocks; block += 1) {
      multiply(a.data, b.data, made.data, count, inner, columns, step(a, block), step(b, block), block * count * columns);
    }
    return made;
  },
};

/** A network, ready to run. */
export class Network {
  #known = new Map(); // constants, by name
  #nodes = [];
  #output;

  /** Read the bytes of an ONNX file. */
  constructor(bytes) {
    const graph = [...fields(bytes)].find(([field]) => field === 7)[1];
    const outputs = [];
    const nodes = [];
    for (const [field, value] of fields(graph)) {
      if (field === 1) nodes.push(nodeOf(value));
      else if (field === 5) {
        const tensor = tensorOf(value);
        this.#known.set(tensor.name, tensor);
      } else if (field === 12) outputs.push(text([...fields(value)][0][1]));
    }
    [this.#output] = outputs;
    const needed = new Set([this.#output]);
    for (const node of [...nodes].reverse()) {
      if (node.outputs.some((name) => needed.has(name))) node.inputs.forEach((name) => needed.add(name));
    }
    for (const node of nodes.filter(({ outputs }) => outputs.some((name) => needed.has(name)))) {
      if (node.inputs.every((name) => !name || this.#known.has(name))) this.#run(node, this.#known);
      else this.#nodes.push(node);
    }
  }

  #run({ op, inputs, outputs, attributes }, values) {
    if (!OPS[op]) throw new Error(`the operation ${op} is not known`);
    const given = inputs.map((name) => values.get(name) ?? this.#known.get(name));
    [OPS[op](given, attributes)].flat().forEach((made, number) => values.set(outputs[number], made));
  }

  /** Compute the first output of the network for one named input. */
  run(name, data, dims) {
    const values = new Map([[name, { dims, data }]]);
    for (const node of this.#nodes) this.#run(node, values);
    return values.get(this.#output);
  }
}
