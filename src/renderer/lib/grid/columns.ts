export interface GridColumn {
  readonly name: string;
  readonly title: string;
  /** For `grid-template-columns`. */
  readonly width: string;
  readonly right?: boolean;
}

export const templateOf = (columns: readonly GridColumn[]): string => columns.map(({ width }) => width).join(' ');
