import type { Problem, Defect } from '../../contract/shot.ts';

/** A defect shows the beginning of a long value; the list has the rest. */
const SHOWN_CHARACTERS = 300;

type Judgement = Problem & Pick<Defect, 'severity' | 'column'>;

export class RowReport {
  readonly defects: Defect[] = [];
  readonly row: number;
  shot: string | undefined;

  constructor(row: number) {
    this.row = row;
  }

  add({ severity, column, problem, remedy }: Judgement, value: string): void {
    const shown = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
    const shot = this.shot === undefined ? {} : { shot: this.shot };
    this.defects.push({ severity, row: this.row, column, ...shot, value: shown, problem, remedy });
  }

  error(column: string, value: string, { problem, remedy }: Problem): void {
    this.add({ severity: 'error', column, problem, remedy }, value);
  }

  warning(column: string, value: string, { problem, remedy }: Problem): void {
    this.add({ severity: 'warning', column, problem, remedy }, value);
  }

  hasErrorAt(column: string): boolean {
    return this.defects.some((defect) => defect.severity === 'error' && defect.column === column);
  }

  get hasError(): boolean {
    return this.defects.length > 0 && this.defects.some((defect) => defect.severity === 'error');
  }
}
