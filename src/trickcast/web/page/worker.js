// The networks in the browser: ONNX Runtime Web in a worker of its own, one thread, so that no
// special headers are needed and the page never waits.

import * as ort from "./runtime/ort.wasm.min.mjs";

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = new URL("./runtime/", import.meta.url).href;

const sessions = new Map();

/** Load a network once, however often it is asked for; a failed load is tried again. */
function session(model) {
  if (!sessions.has(model)) {
    const address = new URL(`./models/${model}.onnx`, import.meta.url).href;
    const loading = ort.InferenceSession.create(address, {
      executionProviders: ["wasm"],
      logSeverityLevel: 3, // that the default of `strains` can be overridden is meant
    });
    loading.catch(() => sessions.delete(model));
    sessions.set(model, loading);
  }
  return sessions.get(model);
}

async function answer({ model, shape, input, name }) {
  const network = await session(model);
  const given = new ort.Tensor("uint8", input, shape);
  const { probabilities } = await network.run({ [name]: given });
  return { dims: [...probabilities.dims], data: probabilities.data };
}

self.onmessage = async ({ data }) => {
  try {
    const result = await answer(data);
    self.postMessage({ id: data.id, ...result }, [result.data.buffer]);
  } catch (error) {
    self.postMessage({ id: data.id, error: String(error?.message ?? error) });
  }
};
