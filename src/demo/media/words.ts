import { createHash } from 'node:crypto';
import type { TaskRecord } from '../task-store.ts';
import { type Maker, type OutputKey, seededRandom } from './output.ts';

/** A text by prompt and number, the same in every run; two takes of a prompt differ. Edits of rows make no take. */
export const words: Maker = {
  usualMs: 900,
  outputType: 'text',
  format: ({ format }) =>
    format === 'json'
      ? { extension: 'json', contentType: 'application/json' }
      : { extension: 'md', contentType: 'text/markdown' },
  render: (key) => Promise.resolve(Buffer.from(madeUpText(key))),
  renderTiny: (key, leastBytes) => Promise.resolve(Buffer.from(madeUpText(key).padEnd(leastBytes))),
};

const TIMES = ['At first light', 'Before the tide turns', 'Long after midnight', 'On the last day of autumn'];
const PLACES = ['by the harbour wall', 'at the end of the pier', 'under a low sky', 'where the road gives out'];
const ACTS = ['waits without a word', 'finds the light again', 'turns back once', 'keeps what was promised'];
const ENDS = ['Nobody else is awake.', 'The sea answers.', 'It is enough.', 'The rest is silence.'];

export function toLyrics({ id, wanted: { prompt } }: TaskRecord): string {
  const random = seededRandom(id);
  const oneOf = (choices: readonly string[]): string => choices[Math.floor(random() * choices.length)] ?? '';
  const verse = (): string[] => [`${oneOf(TIMES)},`, `${oneOf(PLACES)},`, `someone ${oneOf(ACTS)}.`];
  const parts = [
    ['[Verse]', ...verse()],
    ['[Chorus]', prompt, oneOf(ENDS)],
    ['[Verse]', ...verse()],
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

const MAX_SUBJECT_WORDS = 8;

function madeUpText({ task, index, revision }: OutputKey): string {
  const { prompt, style, format, round = 0 } = task.wanted;
  const choosing = (seed: unknown) => {
    const random = seededRandom(JSON.stringify(seed));
    return (choices: readonly string[]): string => choices[Math.floor(random() * choices.length)] ?? '';
  };
  const seed = [task.model, prompt, style, index, revision];
  const oneOf = choosing(seed);
  const edited = editedRows(prompt, style ?? '', (text) => `${text}. ${oneOf(TIMES)}, ${oneOf(PLACES)}`);
  // As models do: prose around the JSON that was asked for.
  if (edited) return `Here it is:\n\n\`\`\`json\n${JSON.stringify(edited, null, 2)}\n\`\`\`\n`;
  const subject = prompt
    .trim()
    .split(/\s+/)
    .slice(0, MAX_SUBJECT_WORDS)
    .join(' ')
    .replace(/[.,;:!?]$/, '');
  const oneNow = choosing([...seed, round]);
  const sentences = Array.from(
    { length: 3 + Number(oneNow(['0', '1', '2'])) },
    () => `${oneNow(TIMES)}, ${oneNow(PLACES)}, “${subject}” ${oneNow(ACTS)}.`,
  );
  const lines = [...sentences, oneNow(ENDS)];
  return format === 'json' ? JSON.stringify({ title: subject, lines }) : `# ${subject}\n\n${lines.join('\n\n')}\n`;
}

/**
 * The answer of a text model to JSON with rows to edit or a script to break down: JSON of the same form. Null for any
 * other prompt. `change` makes up a new text from an old one.
 */
function editedRows(prompt: string, style: string, change: (text: string) => string): object | null {
  const asked = objectIn(prompt);
  const rows = asked?.['rows'];
  if (Array.isArray(rows)) {
    const versions = Number(/exactly (\d+) different/.exec(style)?.[1] ?? 1);
    const edited = rows.flatMap((row) => {
      const { id, prompt: before } = toObject(row) ?? {};
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
    return toObject(JSON.parse(text));
  } catch {
    return null;
  }
}

const toObject = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;

const SUBJECTS = ['A harbour', 'A street', 'A forest', 'A kitchen', 'A stage', 'A portrait', 'A garden'];
const LIGHTS = ['at dusk', 'in the morning', 'under neon', 'in the rain', 'by candlelight', 'at noon', 'at night'];
const MANNERS = ['wide shot', 'close up', 'from above', 'soft focus', 'high contrast', 'in pastel', 'long lens'];

/** The description of a picture: made up, the same words for the same bytes or the same address. */
export function describedPicture(picture: string): string {
  const [one = 0, two = 0, three = 0] = createHash('sha256').update(picture).digest();
  const word = (words: readonly string[], byte: number): string => words[byte % words.length] ?? '';
  return `${word(SUBJECTS, one)} ${word(LIGHTS, two)}, ${word(MANNERS, three)}`;
}
