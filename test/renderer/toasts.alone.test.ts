import { describe, expect, it, vi } from 'vitest';
import { toast } from 'svelte-sonner';
import { messageFor } from '../../src/contract/messages/message-for.ts';
import { t } from '../../src/contract/messages/words.ts';

vi.mock('svelte-sonner', () => ({ toast: { error: vi.fn() } }));
vi.mock('../../src/renderer/lib/client.ts', () => ({
  toTrouble: (error: unknown) => (error instanceof Error ? { message: 'It failed.', remedy: 'Wait.' } : error),
}));

const go = vi.fn();
vi.mock('../../src/renderer/lib/state/navigation.svelte.ts', () => ({
  navigation: { place: { view: 'queue' }, go: (...way: unknown[]): unknown => go(...way) },
}));

const { toastError } = await import('../../src/renderer/lib/toasts.ts');

describe('a trouble that was told', () => {
  it('ends by itself', () => {
    toastError(new Error());
    expect(vi.mocked(toast.error).mock.lastCall?.[1]?.duration).toBe(30_000);
  });

  it.each([
    ['no_price', messageFor('cap.noPricesRemedy'), t('common.openPrices'), 'prices'],
    ['path_not_set', messageFor('remedy.setPathNamed', { name: 'speech' }), t('common.openSettings'), 'advanced'],
    ['http_401', messageFor('remedy.setKey'), t('common.openSettings'), 'service'],
  ])('leads to where it is corrected: %s', (code, remedy, label, section) => {
    toastError({ message: 'It was refused.', remedy, code });
    const { action } = vi.mocked(toast.error).mock.lastCall?.[1] ?? {};
    expect(action).toMatchObject({ label });
    (action as unknown as { onClick: () => void }).onClick();
    expect(go).toHaveBeenLastCalledWith('settings', { detail: { section } });
  });

  it('has no button where none helps', () => {
    toastError({ message: 'It was refused.', remedy: messageFor('remedy.addCredit'), code: 'no_credit' });
    expect(vi.mocked(toast.error).mock.lastCall?.[1]).not.toHaveProperty('action');
  });
});
