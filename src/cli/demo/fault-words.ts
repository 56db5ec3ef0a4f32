import type { MessageKey } from '../../contract/messages/words.ts';
import type { Kind } from '../../contract/kinds/all.ts';
import type { Fault, FaultRule, Faults } from '../../demo/service.ts';

type Strikes = 'answer' | 'query' | 'file';

interface FaultWord {
  readonly strikes: Strikes;
  readonly do: Fault;
  /** How many such requests it strikes, from the first; one when absent. */
  readonly times?: number | 'always';
  readonly says: MessageKey;
}

/** Faults of the demo service that a take recovers from without another billable request, by their own names. */
export const faultWords = {
  // Before `drip`, which strikes all answers: the first rule that strikes a request wins.
  busy: { strikes: 'answer', do: { fault: 'rate-limit', seconds: 1 }, says: 'cli.faultBusy' },
  drip: {
    strikes: 'answer',
    do: { fault: 'drip', bytes: 4096, pauseMs: 20 },
    times: 'always',
    says: 'cli.faultDrip',
  },
  reset: { strikes: 'query', do: { fault: 'reset' }, says: 'cli.faultReset' },
  html: { strikes: 'query', do: { fault: 'html', status: 502 }, says: 'cli.faultHtml' },
  cut: { strikes: 'file', do: { fault: 'cut', afterBytes: 256 }, says: 'cli.faultCut' },
} as const satisfies Record<string, FaultWord>;
export type FaultWordName = keyof typeof faultWords;
export const faultWordNames = Object.keys(faultWords) as FaultWordName[];

const where: Readonly<Record<Strikes, FaultRule['match']>> = {
  answer: { method: 'POST', path: /^(?!\/v1\/assets)/ },
  query: { method: 'GET', path: /^(?!\/media\/|\/v1\/assets)/ },
  file: { method: 'GET', path: '/media/*' },
};

export class PlannedFaults {
  readonly #faults: Faults;
  readonly #rules: readonly { readonly kind: Kind; readonly word: FaultWordName; readonly rule: number }[];

  constructor(faults: Faults, kinds: readonly Kind[], words: readonly FaultWordName[]) {
    this.#faults = faults;
    this.#rules = kinds.flatMap((kind) =>
      words.map((word) => {
        const { strikes, do: fault, times = 1 }: FaultWord = faultWords[word];
        return { kind, word, rule: faults.add({ match: { ...where[strikes], kind, times }, do: fault }) };
      }),
    );
  }

  metBy(kind: Kind): FaultWordName[] {
    return this.#rules.filter((each) => each.kind === kind && this.#faults.hits(each.rule) > 0).map(({ word }) => word);
  }

  get unmet(): FaultWordName[] {
    const met = new Set(this.#rules.filter(({ rule }) => this.#faults.hits(rule) > 0).map(({ word }) => word));
    return [...new Set(this.#rules.map(({ word }) => word))].filter((word) => !met.has(word));
  }
}
