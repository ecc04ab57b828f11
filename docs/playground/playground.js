// The page's side: what is typed, dropped or slid goes to the worker, what comes back is shown. Streams are shown as text only.
const element = (name) => document.getElementById(`pg-${name}`);
const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
const encoder = new TextEncoder();

let stream = new Uint8Array();
let samples = {};
let cut = null; // null: the whole stream
let wanted = 0; // the number of the request that was made last
let busy = false; // one at a time: a slider asks more often than Python answers
let dirty = false;

worker.onmessage = ({ data }) => {
  if (data.status) element("status").textContent = data.status;
  if (data.ready) begin(data);
  if (data.broken) broke(data.broken);
  if (data.shown) show(data.shown);
  if (data.number) {
    busy = false;
    if (dirty) decode();
  }
};
worker.onerror = (event) => broke(event.message || "the worker could not start; open this page over http:// or https://");

function begin({ ready, samples: given }) {
  samples = given;
  element("status").textContent = ready;
  element("playground").dataset.ready = "yes";
  for (const button of document.querySelectorAll("[data-sample]")) {
    button.disabled = false;
    button.onclick = () => take(samples[button.dataset.sample]);
  }
  if (!stream.length) take(samples.chat);
}

function broke(message) {
  element("status").textContent = `This does not work here: ${message}`;
}

function take(bytes, typed = false) {
  stream = bytes;
  cut = null;
  if (!typed) element("stream").value = new TextDecoder().decode(bytes);
  decode();
}

function decode() {
  dirty = busy;
  if (busy) return;
  busy = true;
  const options = {
    chunks: element("chunks").value,
    dialect: element("dialect").value,
    require_done: element("require-done").checked,
    think_tags: element("think-tags").checked,
    ...(cut === null ? {} : { cut }),
  };
  wanted += 1;
  worker.postMessage({ number: wanted, stream, options });
}

function show(shown) {
  const slider = element("cut");
  slider.max = shown.length;
  slider.value = cut === null ? shown.length : cut;
  element("chunks").options[0].disabled = !shown.recorded;
  if (!shown.recorded && element("chunks").value === "recorded") element("chunks").value = "whole";
  element("position").textContent = `byte ${shown.bytes} of ${shown.length}, fed in ${shown.pieces} piece${shown.pieces === 1 ? "" : "s"}`;
  list("frames", shown.frames, shown.frame_count, frameRow);
  list("events", shown.events, shown.event_count, eventRow);
  element("verdict").dataset.verdict = shown.error ? "error" : "whole";
  element("verdict").textContent = shown.error ? shown.error.class : "A whole answer";
  element("said").textContent = shown.error ? shown.error.description : `finish reason: ${shown.answer.finish_reason}`;
  element("error").textContent = shown.error ? JSON.stringify(without(shown.error, "class", "description"), null, 2) : "none";
  element("answer-title").textContent = shown.complete ? "Answer" : "Partial answer";
  element("answer").textContent = JSON.stringify(shown.answer, null, 2);
  element("playground").dataset.shown = String(wanted);
}

function without(object, ...names) {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

function list(name, rows, count, row) {
  const left = count - rows.length;
  element(`${name}-count`).textContent = String(count);
  element(name).replaceChildren(...rows.map(row), ...(left > 0 ? [line("pg-more", `and ${left} more`)] : []));
}

function frameRow(frame) {
  const row = line("pg-row", "");
  row.title = `in piece ${frame.piece}`;
  row.append(line("pg-name", frame.unfinished ? `${frame.event}, unfinished` : frame.event), line("pg-data", frame.data));
  if (frame.unfinished) row.classList.add("pg-unfinished");
  return row;
}

function eventRow(event) {
  const row = line("pg-row", "");
  row.title = event.piece ? `with piece ${event.piece}` : "at the end";
  row.dataset.type = event.type;
  row.append(line("pg-name", event.type), line("pg-data", JSON.stringify(without(event, "type", "piece"))));
  return row;
}

function line(name, text) {
  const div = document.createElement("div");
  div.className = name;
  div.textContent = text;
  return div;
}

element("stream").oninput = (event) => take(encoder.encode(event.target.value), true);
element("cut").oninput = (event) => {
  cut = Number(event.target.value) === Number(event.target.max) ? null : Number(event.target.value);
  decode();
};
for (const name of ["chunks", "dialect", "require-done", "think-tags"]) element(name).onchange = decode;
element("file").onchange = async (event) => {
  const [file] = event.target.files;
  if (file) await opened(file);
};

async function opened(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (new TextDecoder().decode(bytes.slice(0, 26)) === '{"sse-dialects-recording":') {
    element("chunks").options[0].disabled = false;
    element("chunks").value = "recorded";
  }
  take(bytes);
}

const zone = element("playground");
zone.ondragover = (event) => {
  event.preventDefault();
  zone.classList.add("pg-over");
};
zone.ondragleave = () => zone.classList.remove("pg-over");
zone.ondrop = async (event) => {
  event.preventDefault();
  zone.classList.remove("pg-over");
  const [file] = event.dataTransfer.files;
  if (file) await opened(file);
  else if (event.dataTransfer.getData("text")) take(encoder.encode(event.dataTransfer.getData("text")));
};
