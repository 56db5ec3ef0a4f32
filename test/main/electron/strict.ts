import { EventEmitter } from 'node:events';

/** Asked of any object by awaits and by test runners; they mean nothing of Electron's. */
const ASKED_OF_ANYTHING = [
  'then',
  'toJSON',
  'constructor',
  'asymmetricMatch',
  'nodeType',
  '$$typeof',
  'tagName',
  'hasAttribute',
];

/** An object that fails when it is asked for something it does not have: what is not stood in for is not used unseen. */
export function strict<Target extends object>(name: string, target: Target): Target {
  return new Proxy(target, {
    get(from, property, receiver) {
      if (typeof property === 'symbol' || property in from) return Reflect.get(from, property, receiver) as unknown;
      if (ASKED_OF_ANYTHING.includes(property) || property.startsWith('@@')) return undefined;
      throw new Error(`The stand-in of electron has no ${name}.${property}. Add it if the app needs it.`);
    },
  });
}

/** An emitter that knows its events, and fails when it is asked for another. */
export class StrictEmitter extends EventEmitter {
  private readonly known: readonly string[];
  private readonly title: string;

  constructor(title: string, known: readonly string[]) {
    super();
    this.title = title;
    this.known = known;
  }

  override on(event: string, listener: (...args: never[]) => void): this {
    if (!this.known.includes(event))
      throw new Error(`The stand-in of electron has no event ${event} of ${this.title}.`);
    return super.on(event, listener as (...args: unknown[]) => void);
  }

  /** An event of Electron's kind, to which a listener may object. True when one did. */
  isPrevented(event: string, facts: object = {}, ...args: unknown[]): boolean {
    let prevented = false;
    const told = {
      ...facts,
      preventDefault() {
        prevented = true;
      },
    };
    this.emit(event, told, ...args);
    return prevented;
  }
}
