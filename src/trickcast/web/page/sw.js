// Keeps the page in the browser, so that it works offline after the first load. files.json, made
// with the site, lists every file and a version that changes when any of them does.

const NAME = `trickcast ${self.registration.scope} `; // the caches of all sites of one origin lie together
const FORMER = /^trickcast-\w+$/; // as caches were called before their names had the scope

async function install() {
  const { version, files } = await (await fetch("./files.json", { cache: "no-cache" })).json();
  const cache = await caches.open(NAME + version);
  await cache.addAll(files.map((file) => new Request(file, { cache: "no-cache" })));
  const old = (await caches.keys()).filter((key) => FORMER.test(key) || (key.startsWith(NAME) && key !== NAME + version));
  await Promise.all(old.map((key) => caches.delete(key)));
}

self.addEventListener("install", (event) => {
  event.waitUntil(install().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET" || new URL(event.request.url).origin !== self.location.origin) return;
  event.respondWith(
    caches.match(event.request, { ignoreSearch: true }).then((kept) => kept ?? fetch(event.request)),
  );
});
