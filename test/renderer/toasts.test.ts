import { beforeEach, describe, expect, it, vi } from 'vitest';
import { toast } from 'svelte-sonner';

vi.mock('svelte-sonner', () => ({ toast: { error: vi.fn(() => 'first'), dismiss: vi.fn() } }));
vi.mock('../../src/renderer/lib/client.ts', () => ({ troubleOf: () => ({ message: 'It failed.', remedy: 'Wait.' }) }));

const { leaveTroubles, toastError } = await import('../../src/renderer/lib/toasts.ts');

beforeEach(() => {
  vi.useFakeTimers();
  vi.mocked(toast.dismiss).mockClear();
});

describe('a trouble that was told', () => {
  it('ends by itself', () => {
    toastError(new Error());
    expect(vi.mocked(toast.error).mock.lastCall?.[1]?.duration).toBe(30_000);
  });

  it('is left behind with the view it was told in, once it could be read', () => {
    toastError(new Error());
    vi.advanceTimersByTime(1000);
    leaveTroubles();
    expect(toast.dismiss).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1000);
    leaveTroubles();
    expect(toast.dismiss).toHaveBeenCalledWith('first');
  });
});
