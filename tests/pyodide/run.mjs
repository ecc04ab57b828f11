// Node: run.mjs PYODIDE_FOLDER WHEEL SCENARIO URLS   prints what the scenario tells.
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const [folder, wheel, scenario, urls] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({ indexURL: folder });
python.unpackArchive(new Uint8Array(await readFile(wheel)).buffer, "wheel");
python.runPython(await readFile(scenario, "utf8"));
console.log(await python.globals.get("main")(urls));
process.exit(0);
