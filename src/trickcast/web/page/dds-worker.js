// DDS in a worker: the first message brings the compiled module, each other a question.

import { startDds } from "./dds.js";

let starting = null;

async function answer({ strain, pbn, first, trick }) {
  const dds = await starting;
  return trick ? dds.position(pbn, strain, first, trick) : dds.table(pbn, strain);
}

self.onmessage = async ({ data }) => {
  if (data.module) {
    starting = startDds(data.module);
    return;
  }
  try {
    self.postMessage({ answer: await answer(data) });
  } catch (error) {
    self.postMessage({ error: String(error?.message ?? error) });
  }
};
