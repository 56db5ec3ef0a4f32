import iconv from 'iconv-lite';
import { readTable } from '../../../src/engine/batches/read-table.ts';
import { checkList } from '../../../src/engine/batches/validate.ts';
import type { Target } from '../target.ts';

const LIST = `shot,kind,model,prompt,takes,duration,image,references,param.seed,param.more:json,generation_config,mine,skip
010,video,vgen-2.0-cl-fast,"A lighthouse, ""in"" a storm",2,5,a.png,Asset://a1;b.png,7,"{""a"":[1,2]}",,x,
020,image,img-1,雨 @hero,1,,,,,,"{""a"":{""b"":1}}",y,yes
030,video,vgen-2.0-cl-fast,{name} rain,1,5 s,Shot://010,https://a.test/b.png|Shot://020/2,,,,=1+1,
040,music,m-1,Song,1,,,,,,,,
`;
const tabs = LIST.replaceAll(',', '\t');

export const targetIn = (): Target => ({
  samples: () =>
    Promise.resolve([
      Buffer.from(LIST),
      Buffer.from(tabs),
      Buffer.from(`\uFEFFsep=;\n${LIST.replaceAll(',', ';')}`),
      Buffer.from(`\uFEFF${LIST}`, 'utf16le'),
      iconv.encode(LIST, 'gbk'),
      Buffer.from(LIST.replaceAll('\n', '\r\n')),
    ]),
  async read(input) {
    const table = await readTable({ bytes: input, name: 'list.csv' });
    await checkList(table, { listFolder: '/nowhere' });
  },
});
