// Tries every way out of a page that scripts have.
const targets = HOSTS;
const quietly = (work) => { try { Promise.resolve(work()).catch(() => {}); } catch {} };
const scope = typeof document === "undefined" ? "worker" : "page";
for (const host of targets) {
  const base = `http://${host}:PORT/${scope}`;
  quietly(() => fetch(base, { mode: "no-cors" }));
  quietly(() => fetch(base, { mode: "no-cors", method: "POST", body: "it" }));
  quietly(() => fetch(base, { mode: "no-cors", keepalive: true }));
  quietly(() => new WebSocket(`ws://${host}:PORT/`));
  quietly(() => new EventSource(base));
  quietly(() => { const request = new XMLHttpRequest(); request.open("GET", base); request.send(); });
  quietly(() => new WebTransport(`https://${host}:PORT/`).ready);
  if (scope === "worker") continue;
  quietly(() => navigator.sendBeacon(base, "it"));
  quietly(() => { new Image().src = base; });
  quietly(() => open(base));
  quietly(() => { document.body.append(Object.assign(document.createElement("iframe"), { src: base })); });
  quietly(() => { document.body.append(Object.assign(document.createElement("video"), { src: base, autoplay: true })); });
  quietly(() => { document.body.append(Object.assign(document.createElement("script"), { src: base })); });
  quietly(() => { document.body.append(Object.assign(document.createElement("a"), { href: base, ping: base, download: "it" })); document.body.lastChild.click(); });
  quietly(() => {
    const form = Object.assign(document.createElement("form"), { action: base, method: "post", target: "_blank" });
    document.body.append(form);
    form.submit();
  });
  quietly(async () => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: `stun:${host}:STUN` }, { urls: `turn:${host}:PORT?transport=tcp`, username: "a", credential: "b" }] });
    peer.createDataChannel("it");
    await peer.setLocalDescription(await peer.createOffer());
  });
}
if (scope === "page") {
  quietly(() => fetch("/", { method: "POST", body: "it" }));
  quietly(() => new Worker("/worker.js"));
  quietly(() => new SharedWorker("/worker.js"));
  quietly(() => navigator.serviceWorker.register("/worker.js"));
  setTimeout(() => { location = `http://${targets[0]}:PORT/moved`; }, 50);
  setTimeout(() => { document.getElementById("root").textContent = "It ran to its end"; }, 100);
}
