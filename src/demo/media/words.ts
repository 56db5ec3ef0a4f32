import { editedRows } from './edited-rows.ts';
import { seededRandom, type Maker, type OutputKey } from './output.ts';

/** Texts follow from what was asked for alone: the same words get the same text in every run. */
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

const MOST_SUBJECT_WORDS = 8;

function madeUpText({ task, index, revision }: OutputKey): string {
  const { prompt, style, format } = task.wanted;
  const random = seededRandom(JSON.stringify([task.model, prompt, style, index, revision]));
  const oneOf = (choices: readonly string[]): string => choices[Math.floor(random() * choices.length)] ?? '';
  const edited = editedRows(prompt, style ?? '', (text) => `${text}. ${oneOf(TIMES)}, ${oneOf(PLACES)}`);
  // As models do: prose around the JSON that was asked for.
  if (edited) return `Here it is:\n\n\`\`\`json\n${JSON.stringify(edited, null, 2)}\n\`\`\`\n`;
  const subject = prompt
    .trim()
    .split(/\s+/)
    .slice(0, MOST_SUBJECT_WORDS)
    .join(' ')
    .replace(/[.,;:!?]$/, '');
  const sentences = Array.from(
    { length: 3 + Math.floor(random() * 3) },
    () => `${oneOf(TIMES)}, ${oneOf(PLACES)}, “${subject}” ${oneOf(ACTS)}.`,
  );
  const lines = [...sentences, oneOf(ENDS)];
  return format === 'json' ? JSON.stringify({ title: subject, lines }) : `# ${subject}\n\n${lines.join('\n\n')}\n`;
}
