import { setImmediate } from 'node:timers/promises';

/** How long we work before giving way to others, ms: well below the 50 ms at which a window feels stuck. */
export const STRETCH_MS = 12;

/** Makes long work on a big list give way. Call it for every row, and `await` what it returns, if anything. */
export function createYielder(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < STRETCH_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

export async function readEach<Item>(ids: readonly string[], read: (id: string) => Item | null): Promise<Item[]> {
  const items: Item[] = [];
  const giveWay = createYielder();
  for (const id of ids) {
    const turn = giveWay();
    if (turn !== undefined) await turn;
    const item = read(id);
    if (item !== null) items.push(item);
  }
  return items;
}
