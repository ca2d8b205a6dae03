// The Python SDK, each generation in its own virtual environment; python.py does the work.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = path => fileURLToPath(new URL(path, import.meta.url));

const inPython = (major, era) => async place => {
  const task = { url: place.url, path: place.path, content: place.content, node: process.execPath, visit: here('../visit.mjs'), era };
  const { stdout } = await promisify(execFile)(here(`../../clients/.venv-${major}/bin/python`), [here('python.py'), JSON.stringify(task)], { env: place.visitor });
  return JSON.parse(stdout);
};

export const one = { legacy: inPython(1, 'legacy') };
export const two = { legacy: inPython(2, 'legacy'), modern: inPython(2, 'modern') };
