/** Messages from the app's process to the browser's. */
export type FromMain =
  | { readonly type: 'serving'; readonly port: number }
  | { readonly type: 'port'; readonly port: number }
  | { readonly type: 'said'; readonly port: number; readonly data: string }
  | { readonly type: 'closed'; readonly port: number };

/** And the other way. */
export type ToMain =
  | { readonly type: 'connect' }
  | { readonly type: 'say'; readonly port: number; readonly data: string }
  | { readonly type: 'kill engine' }
  | { readonly type: 'quit' };
