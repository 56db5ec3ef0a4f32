import { expect, it } from 'vitest';
import { messageFor } from '../../src/contract/messages/message.ts';
import { remedyFor } from '../../src/contract/remedy.ts';
import { checkList } from '../../src/engine/batches/validate.ts';
import { readTable } from '../../src/engine/batches/read-table.ts';

async function remediesIn(list: string) {
  const table = await readTable({ bytes: Buffer.from(list), name: 'x.csv' });
  const { defects } = await checkList(table, { listFolder: '/' });
  return defects.map((defect) => [defect.column, remedyFor(defect, table.headers)]);
}

it('a missing model is chosen, whether its cell or its column is missing', async () => {
  expect(await remediesIn('model,prompt,kind\n,A boat,video\n')).toEqual([['model', { does: 'choose_model' }]]);
  expect(await remediesIn('prompt\nA boat\n')).toEqual([['model', { does: 'choose_model' }]]);
});

it('a column that is nearly known gets its name, unless another column has it', async () => {
  const row = 'vgen-2.0-nt,A boat,16:9';
  expect(await remediesIn(`model,prompt,aspect_ration\n${row}\n`)).toEqual([
    ['aspect_ration', { does: 'rename_column', to: 'aspect_ratio' }],
  ]);
  expect(await remediesIn(`model,prompt,aspect_ration,Aspect Ratio\n${row},16:9\n`)).toEqual([['aspect_ration', null]]);
});

it('an unknown variable is added by its name', async () => {
  expect(await remediesIn('model,prompt\nvgen-2.0-nt,{hero} waits\n')).toEqual([
    ['prompt', { does: 'add_variable', name: 'hero' }],
  ]);
});

it('a value past its limit gets the limit, and a misspelled one what it means', async () => {
  const list = 'kind,model,prompt,duration\nvidoe,vgen-2.0-nt,Dawn,30\nvideo,vgen-2.0-nt,Noon,2\n';
  expect(await remediesIn(list)).toEqual([
    ['kind', { does: 'set_value', value: 'video' }],
    ['duration', { does: 'set_value', value: '4' }],
  ]);
  expect(await remediesIn('kind,model,prompt,duration\nvideo,vgen-2.0-nt,Dawn,30\ndance,vgen-2.0-nt,Dusk,5\n')).toEqual(
    [
      ['duration', { does: 'set_value', value: '15' }],
      ['kind', null],
    ],
  );
});

it('there is no button for what only a person knows', () => {
  expect(remedyFor({ problem: 'words of an earlier release', remedy: '' }, [])).toBeNull();
  expect(
    remedyFor({ problem: messageFor('defect.noPrompt'), remedy: messageFor('remedy.writePrompt') }, []),
  ).toBeNull();
});
