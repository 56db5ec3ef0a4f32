export interface Slot {
  readonly url: string | null;
  readonly isFetched: boolean;
}

/**
 * The address of each output in a new list, which may have another order or fewer addresses. An output is recognised by
 * the path of its address, because queries are signed differently each time. Addresses with unknown paths keep their
 * place when the list is as long as before; otherwise they go first to the outputs that still lack a file. An output
 * that is not in the list keeps its old address, and a new one gets the next number. Pure.
 */
export function placeResults(slots: readonly Slot[], fresh: readonly string[]): string[] {
  const placed: (string | null)[] = slots.map(() => null);
  const left = new Set(fresh.keys());
  const give = (slot: number, index: number): void => {
    placed[slot] = fresh[index] ?? null;
    left.delete(index);
  };
  for (const [path, numbers] of byPath(slots.map(({ url }) => url))) {
    const indexes = byPath(fresh).get(path) ?? [];
    // Several with one path differ only by their order, and only while none is missing.
    if (indexes.length === numbers.length) numbers.forEach((number, order) => give(number, indexes[order] ?? 0));
  }
  const open = [...slots.keys()].filter((number) => placed[number] === null);
  const needy = open.filter((number) => slots[number]?.isFetched === false);
  const others = open.filter((number) => !needy.includes(number));
  const order = open.length === left.size ? open : [...needy, ...others];
  [...left].slice(0, order.length).forEach((index, place) => give(order[place] ?? 0, index));
  return [
    ...placed.map((url, number) => url ?? slots[number]?.url ?? ''),
    ...[...left].map((index) => fresh[index] ?? ''),
  ];
}

function byPath(urls: readonly (string | null)[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const [index, url] of urls.entries()) {
    if (url === null) continue;
    const path = URL.parse(url)?.pathname ?? url;
    found.set(path, [...(found.get(path) ?? []), index]);
  }
  return found;
}
