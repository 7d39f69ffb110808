// Patterns of event types, by the rules of the daemon: `*` is any characters, everything else is itself.

/** Whether all of `text` is what `pattern` describes. */
export function globMatches(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const first = parts.shift() ?? '';
  if (!text.startsWith(first)) return false;
  const last = parts.pop();
  if (last === undefined) return text === first;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
