// Runs Pyodide beside the page, so that the page stays quick while Python loads and decodes.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const here = new URL(".", import.meta.url);

async function start() {
  postMessage({ status: "Loading Python ..." });
  const python = await loadPyodide({ indexURL: new URL("pyodide/", here).href });
  postMessage({ status: "Installing the wheel ..." });
  python.unpackArchive(await bytes("sse_dialects.whl"), "wheel");
  python.FS.writeFile("decode.py", new Uint8Array(await bytes("decode.py")));
  python.runPython(`
import json
import sys
sys.path.insert(0, ".")
import decode
import sse_dialects

def take(stream, options):
    return json.dumps(decode.snapshot(stream.to_bytes(), **options.to_py()))
`);
  const take = python.globals.get("take");
  const samples = python.runPython("decode.samples()").toJs({ dict_converter: Object.fromEntries });
  const version = python.runPython("f'sse-dialects {sse_dialects.__version__}, CPython {sys.version.split()[0]}'");
  postMessage({ ready: version, samples });
  return take;
}

async function bytes(name) {
  const response = await fetch(new URL(name, here));
  if (!response.ok) throw new Error(`${name}: HTTP status ${response.status}`);
  return response.arrayBuffer();
}

const started = start();
started.catch((error) => postMessage({ broken: String(error) }));

onmessage = async ({ data: { number, stream, options } }) => {
  try {
    const take = await started;
    postMessage({ number, shown: JSON.parse(take(stream, options)) });
  } catch (error) {
    postMessage({ number, broken: String(error) });
  }
};
