/** What the engine calls rows that were put in here, by what they were called here. */
export type Names = ReadonlyMap<number, number>;

export const noNames: Names = new Map();

/** The engine counts on from the first. */
export const given = (names: readonly number[], from: number): Names =>
  new Map(names.map((name, index) => [name, from + index]));

export const joined = (one: Names, other: Names): Names => (other.size === 0 ? one : new Map([...one, ...other]));
