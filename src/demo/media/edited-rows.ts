/**
 * The answer of a text model to JSON with rows to edit or a script to break down: JSON of the same form. Null for any
 * other prompt. `change` makes up a new text from an old one.
 */
export function editedRows(prompt: string, style: string, change: (text: string) => string): object | null {
  const asked = objectIn(prompt);
  const rows = asked?.['rows'];
  if (Array.isArray(rows)) {
    const versions = Number(/exactly (\d+) different/.exec(style)?.[1] ?? 1);
    const edited = rows.flatMap((row) => {
      const { id, prompt: before } = objectOf(row) ?? {};
      if (typeof before !== 'string') return [];
      return [{ id, prompts: Array.from({ length: Math.min(versions, 20) }, () => change(before)) }];
    });
    return { rows: edited };
  }
  const script = asked?.['script'];
  if (typeof script !== 'string') return null;
  const lines = script.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  return {
    shots: lines.slice(0, 500).map((line, index) => ({
      key: String((index + 1) * 10).padStart(3, '0'),
      prompt: line,
      duration: 4 + (index % 4),
      notes: '',
    })),
  };
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}

const objectOf = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
