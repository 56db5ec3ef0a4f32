import { expect, it } from 'vitest';
import { check, errorsOf } from './support.ts';

/** What is wrong with the last row of a list of music, as `column: problem`. */
async function errors(columns: string, cells: string): Promise<string[]> {
  const first = `M01,music,music-demo,A cello${','.repeat(columns.split(',').length)}`;
  const text = `shot,kind,model,prompt,${columns}\n${first}\n030,video,vgen-2.0-nt,x${','.repeat(columns.split(',').length)}\nM02,music,music-demo,x,${cells}\n`;
  const { defects } = await check(text);
  return errorsOf(defects).map(({ column, problem }) => `${column}: ${problem}`);
}

it.each([
  ['a task', 'extend_take,continue_at', 'task_1,6', []],
  ['a shot of music', 'extend_take,continue_at', 'Shot://M01,6', []],
  ['audio of its own', 'audio,continue_at', 'https://a.example/a.mp3,6', []],
  ['a task of a field of its own', 'param.task_id,continue_at', 'task_1,6', []],
  ['nothing', 'extend_take,continue_at', ',6', ['continue_at: The row does not say what to continue.']],
  ['a video', 'extend_take', 'Shot://030', ['extend_take: Shot 030 is of the kind video, but music is needed.']],
  [
    'one file of a take',
    'extend_take',
    'Shot://M01/2',
    ['extend_take: This column refers to a whole take, not one of its files.'],
  ],
  ['a shot that is not there', 'extend_take', 'Shot://M09', ['extend_take: No row of the list has the key M09.']],
  ['itself', 'extend_take', 'Shot://M02', ['extend_take: The row refers to itself.']],
])('a row of music may continue what the service can continue: %s', async (_what, columns, cells, expected) => {
  expect(await errors(columns, cells)).toEqual(expected);
});

it('a row may not ask for music with and without voice', async () => {
  expect(await errors('instrumental,make_instrumental', 'TRUE,FALSE')).toEqual([
    'make_instrumental: The row requests music with and without voice.',
  ]);
  expect(await errors('instrumental,make_instrumental', 'TRUE,TRUE')).toEqual([]);
});
