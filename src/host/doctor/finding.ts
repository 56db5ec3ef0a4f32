/** What one check of `doctor` found. */
export interface Finding {
  readonly level: 'ok' | 'warn' | 'fail';
  /** What was checked, in one word. */
  readonly name: string;
  readonly message: string;
  /** What to do, where there is something to do. */
  readonly remedy?: string;
}

export const ok = (name: string, message: string): Finding => ({ level: 'ok', name, message });
export const warn = (name: string, message: string, remedy: string): Finding => ({
  level: 'warn',
  name,
  message,
  remedy,
});
export const fail = (name: string, message: string, remedy: string): Finding => ({
  level: 'fail',
  name,
  message,
  remedy,
});
