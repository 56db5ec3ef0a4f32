import { strict, StrictEmitter } from './strict.ts';

type Handler = (request: Request) => Response | Promise<Response>;
type Decide<Answer> = (answer: Answer) => void;

/** Keeps a session's handlers, and calls them as Chromium would. */
export class SessionStandIn extends StrictEmitter {
  readonly partition: string;
  readonly handlers = new Map<string, Handler>();
  spellChecker = true;
  /**
   * What the system's settings, or the script of the network, say of an address. An array of proxies comes in order, joined
   * by `;` without a space (Chromium's net/proxy_resolution/proxy_list.cc); it is empty where a script that must be obeyed
   * could not be read (Electron's shell/browser/net/resolve_proxy_helper.cc).
   */
  pac: (address: string) => string = () => 'DIRECT';
  protected mayRequest: ((...args: unknown[]) => void) | null = null;
  protected mayCheck: ((...args: unknown[]) => boolean) | null = null;
  protected mayUseDevice: (() => boolean) | null = null;
  protected beforeRequest: ((details: { url: string }, decide: Decide<{ cancel?: boolean }>) => void) | null = null;

  constructor(partition: string) {
    super('Session', ['will-download']);
    this.partition = partition;
    return strict('Session', this);
  }

  readonly protocol = strict('Session.protocol', {
    handle: (scheme: string, handler: Handler): void => {
      this.handlers.set(scheme, handler);
    },
  });

  readonly webRequest = strict('Session.webRequest', {
    onBeforeRequest: (listener: NonNullable<SessionStandIn['beforeRequest']>): void => {
      this.beforeRequest = listener;
    },
  });

  resolveProxy(address: string): Promise<string> {
    return Promise.resolve(this.pac(new URL(address).href));
  }
  setPermissionRequestHandler(handler: NonNullable<SessionStandIn['mayRequest']>): void {
    this.mayRequest = handler;
  }
  setPermissionCheckHandler(handler: NonNullable<SessionStandIn['mayCheck']>): void {
    this.mayCheck = handler;
  }
  setDevicePermissionHandler(handler: () => boolean): void {
    this.mayUseDevice = handler;
  }
  setSpellCheckerEnabled(enabled: boolean): void {
    this.spellChecker = enabled;
  }

  /** Loads as a page of the session would: by the handler of the scheme. */
  load(address: string, init?: RequestInit): Promise<Response> {
    const handler = this.handlers.get(new URL(address).protocol.replace(':', ''));
    if (!handler) return Promise.reject(new Error(`Nothing answers ${address}.`));
    return Promise.resolve(handler(new Request(address, init)));
  }

  isGranted(permission: string, requestingUrl: string, isMainFrame = true): boolean {
    // Electron grants what no handler refuses.
    let granted = this.mayRequest === null;
    const decide = (answer: boolean): void => {
      granted = answer;
    };
    this.mayRequest?.(null, permission, decide, { requestingUrl, isMainFrame });
    return granted;
  }

  isChecked(permission: string, origin: string): boolean {
    return this.mayCheck?.(null, permission, origin, {}) ?? true;
  }

  mayHaveDevice(): boolean {
    return this.mayUseDevice?.() ?? true;
  }

  isCancelled(url: string): boolean {
    let cancelled = false;
    this.beforeRequest?.({ url }, ({ cancel }) => {
      cancelled = cancel === true;
    });
    return cancelled;
  }
}
