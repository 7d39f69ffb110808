// docs/BENCHMARKS.md has sections of several programs: each writes its own and leaves the others as they are.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../../docs/BENCHMARKS.md', import.meta.url));
/** The sections that other programs write. */
const FOREIGN = ['With much of everything', 'Over hours'];

/** @param {string} text @param {string} title @returns {[number, number] | undefined} Where the section begins and ends. */
function found(text, title) {
  const begin = text.indexOf(`\n## ${title}\n`);
  if (begin < 0) return undefined;
  const end = text.indexOf('\n## ', begin + 1);
  return [begin, end < 0 ? text.length : end];
}

/** Replaces a section, or adds it at the end. @param {string} title @param {string} content */
export function writeSection(title, content) {
  const text = readFileSync(path, 'utf8');
  const [begin, end] = found(text, title) ?? [text.length, text.length];
  writeFileSync(path, `${text.slice(0, begin)}\n## ${title}\n\n${content}\n${text.slice(end)}`);
}

/** Replaces everything but the sections of other programs. @param {string} content */
export function writeDocument(content) {
  const text = readFileSync(path, 'utf8');
  const kept = FOREIGN.map((title) => found(text, title)).map((place) => (place ? text.slice(...place) : ''));
  writeFileSync(path, content + kept.map((section) => `${section.trimEnd()}\n`).filter((section) => section !== '\n').join(''));
}
