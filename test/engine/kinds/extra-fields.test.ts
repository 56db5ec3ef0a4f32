import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/contract/json.ts';
import { kindSpecs } from '../../../src/contract/kinds/index.ts';
import { Kind } from '../../../src/contract/kinds/kind.ts';
import type { Parameter } from '../../../src/contract/kinds/spec.ts';
import { columnThatSends } from '../../../src/engine/kinds/extra-fields.ts';
import { driverFor } from '../../../src/engine/kinds/index.ts';
import { contextOf, shotOf } from './support.ts';

const routes = [
  contextOf(),
  contextOf({}, { videoRoute: 'compatible' }),
  contextOf({ entryIsMissing: true }, { paths: { musicSubmit: '/v1/music' } }),
];

function valueOf(parameter: Parameter): Json {
  switch (parameter.type) {
    case 'integer':
    case 'number':
      return 4;
    case 'boolean':
      return true;
    case 'text_list':
    case 'media_list':
      return ['Asset://1'];
    case 'json':
      return [{ media_type: 'image', role: 'reference_image', url: 'Asset://1' }];
    default:
      return 'Asset://1';
  }
}

describe('a field of param.NAME', () => {
  const cases = Kind.options.flatMap((kind) => kindSpecs[kind].parameters.map((parameter) => ({ kind, parameter })));

  it.each(cases)("is recognized as a column's by every name it is sent under: $kind $parameter.name", (one) => {
    const { kind, parameter } = one;
    const operations = kind === 'image' ? [{}, { operation: 'edit' }, { operation: 'variation' }] : [{}];
    // The music submit operation has no style.
    for (const context of parameter.name === 'style' ? routes.slice(0, 2) : routes) {
      for (const operation of operations) {
        const sent = (params: Record<string, Json>) => {
          const { body, files } = driverFor(kind).toRequest(shotOf({ kind, prompt: '', params }), context);
          return [...Object.keys(body), ...files.map(({ field }) => field)];
        };
        const without = sent(operation);
        const added = sent({ ...operation, [parameter.name]: valueOf(parameter) }).filter(
          // The prompt can be added under no name, and what is content a rule of its own judges.
          (name) => !without.includes(name) && name !== 'prompt' && name !== 'content',
        );
        for (const name of added) expect(columnThatSends(name, kind)).toBe(parameter);
      }
    }
  });
});
