/** The part of a JSON schema that zod writes and noise reads. */
export interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly additionalProperties?: Shape | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

const STRANGE: readonly unknown[] = [
  null,
  undefined,
  true,
  0,
  -1,
  1e308,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  2 ** 53,
  '',
  ' ',
  '\0',
  '../../../etc/passwd',
  '..\\..\\secret',
  '%2e%2e%2f',
  "'; DROP TABLE jobs; --",
  '%',
  '_',
  '=1+1',
  '<script>alert(1)</script>',
  '\u202Egnp.exe',
  '\uD800',
  'é'.repeat(300),
  'a'.repeat(5000),
  [],
  [[]],
  {},
  { toString: 1 },
  JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
];

/** Random values around a shape: what fits it, what nearly does, and what strangers send. The same for the same seed. */
export class Noise {
  #state: number;
  readonly #ids: readonly string[];
  readonly #paths: readonly string[];

  /** `ids` are of things that are there; `paths` are all the paths that may be named. */
  constructor(seed: number, known: { ids: readonly string[]; paths: readonly string[] }) {
    this.#state = seed;
    this.#ids = known.ids;
    this.#paths = known.paths;
  }

  /** Uniform in [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.next() * items.length)] as Item;
  }

  /** A value for a shape; each part of it is strange with the chance `strange`. */
  around(shape: Shape, strange: number, name = ''): unknown {
    if (this.next() < strange) return this.pick(STRANGE);
    const choices = shape.anyOf ?? shape.oneOf;
    if (choices) return this.around(this.pick(choices), strange, name);
    if (shape.const !== undefined) return shape.const;
    if (shape.enum) return this.pick(shape.enum);
    switch (shape.type) {
      case 'object':
        return this.#object(shape, strange);
      case 'array':
        return Array.from({ length: Math.floor(this.next() * 4) }, () => this.around(shape.items ?? {}, strange, name));
      case 'string':
        return this.#text(name);
      case 'integer':
        return Math.floor(this.#number(shape));
      case 'number':
        return this.#number(shape);
      case 'boolean':
        return this.next() < 0.5;
      case 'null':
        return null;
      default:
        return this.pick(STRANGE);
    }
  }

  #object({ properties = {}, additionalProperties }: Shape, strange: number): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const [name, shape] of Object.entries(properties)) {
      if (this.next() > strange / 2) made[name] = this.around(shape, strange, name);
    }
    if (this.next() < strange) made.surplus = this.pick(STRANGE);
    if (typeof additionalProperties === 'object' && this.next() < 0.5) {
      made[this.#text('')] = this.around(additionalProperties, strange);
    }
    return made;
  }

  #number({ minimum = -10, maximum = 10 }: Shape): number {
    const least = Math.max(minimum, -1000);
    return least + this.next() * (Math.min(maximum, least + 2000) - least);
  }

  #text(name: string): string {
    if (/^(path|folder|parent)$|^(projects|selects)Folder$/.test(name)) return this.pick(this.#paths);
    if (/id$|^ids$/i.test(name) && this.next() < 0.5) return this.pick(this.#ids);
    const strange = this.pick(STRANGE);
    return typeof strange === 'string' ? strange : this.pick(['a', '0001', 'image-demo', 'Stills', 'shot,prompt\n1,x']);
  }
}
