import type { Parameter } from '../../contract/kinds/spec.ts';

/** Range and unit of a number, for the line that explains a cell: `1 to 600 s, or -1`. */
export function limitsInWords(parameter: Parameter): string {
  if (parameter.type !== 'integer' && parameter.type !== 'number') return '';
  const { min, max, unit, special } = parameter;
  if (min === undefined || max === undefined) return unit ?? '';
  const range = `${min} to ${max}${unit === undefined ? '' : ` ${unit}`}`;
  return special === undefined ? range : `${range}, or ${special.join(', ')}`;
}
