import { describe, expect, it } from 'vitest';
import { readJobExtras } from '../../../src/engine/kinds/image/index.ts';

describe('what a job-style answer has beside its pictures', () => {
  it('is read under any usual name, and what is no button is left out', () => {
    const extras = readJobExtras({
      prompt: 'A harbour',
      buttons: [
        { customId: 'a', label: 'U1', emoji: '', style: 2 },
        { custom_id: 'b', emoji: { name: '🔄' } },
        { id: 'c', name: 'Vary' },
        { label: 'no id' },
        { customId: 'x'.repeat(2000) },
        null,
        'text',
      ],
      properties: { finalPrompt: 'A harbour', finalZhPrompt: '港口' },
    });
    expect(extras).toEqual({
      buttons: [
        { customId: 'a', label: 'U1', emoji: '' },
        { customId: 'b', label: '', emoji: '🔄' },
        { customId: 'c', label: 'Vary', emoji: '' },
      ],
      prompts: [{ name: 'finalZhPrompt', text: '港口' }],
    });
  });

  it('is found inside data, and is nothing where there is none', () => {
    expect(readJobExtras({ data: { buttons: [{ customId: 'a', label: 'U1' }] } })?.buttons).toHaveLength(1);
    expect(readJobExtras({ buttons: 'none', properties: 3 })).toBeNull();
    expect(readJobExtras({ output: [] })).toBeNull();
  });
});
