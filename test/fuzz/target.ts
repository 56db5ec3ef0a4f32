/** A parser of bytes that come from strangers. Each file of `targets` exports `targetIn`, which makes it in a folder. */
export interface Target {
  /** Whole, valid inputs of each kind, which are then damaged. */
  samples(): Promise<readonly Buffer[]>;
  /** The samples are JSON, of which values are changed too. */
  readonly isJson?: boolean;
  /**
   * Reads an input. Rejects only where the parser does what it must not: a refusal in its own words is no defect.
   *
   * @param run number of the input, for names
   */
  read(input: Buffer, run: number): Promise<void> | void;
}
