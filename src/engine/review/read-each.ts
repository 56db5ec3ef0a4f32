import { givingWay } from '../base/slices.ts';

/** Reads one thing by one, leaving out those that are gone, and lets others have their turn in between. */
export async function readEach<Item>(ids: readonly string[], read: (id: string) => Item | null): Promise<Item[]> {
  const items: Item[] = [];
  const giveWay = givingWay();
  for (const id of ids) {
    const turn = giveWay();
    if (turn !== undefined) await turn;
    const item = read(id);
    if (item !== null) items.push(item);
  }
  return items;
}
