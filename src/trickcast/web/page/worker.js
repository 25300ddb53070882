// The networks that take longer, in a worker, so that the page never waits.

import { Network } from "./net.js";

const networks = new Map();

function answer({ model, bytes, name, input, shape }) {
  if (!bytes) return networks.get(model).run(name, input, shape);
  networks.set(model, new Network(bytes));
  return model;
}

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ answer: answer(data) });
  } catch (error) {
    self.postMessage({ error: String(error?.message ?? error) });
  }
};
