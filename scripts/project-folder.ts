import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/**
 * Makes the tables of docs/reference/project-folder.md from the schemas of the files in a project, by
 * `npm run project-folder`: each field with its type and the comment above it.
 */

const ROOT = join(import.meta.dirname, '..');
const FILE = join(ROOT, 'docs/reference/project-folder.md');

/** The page with the fields as they are now: below each line `<!-- src/….ts Name -->` the table of that schema. */
export const withFields = (page: string): string =>
  page.replace(
    /(<!-- (\S+) (\w+) -->\n)(?:\n\|(?:.*\n)+?(?=\n|$))?/g,
    (_all, marker: string, file: string, name: string) => `${marker}\n${tableOf(file, name)}`,
  );

function tableOf(file: string, name: string): string {
  const rows = fieldsOf(file, name).map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`,
  );
  return ['| field | type | what it is |', '|---|---|---|', ...rows, ''].join('\n');
}

function fieldsOf(file: string, name: string): [field: string, type: string, about: string][] {
  const source = ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const object = objectIn(source, name);
  if (!object) throw new Error(`${file} has no schema ${name}.`);
  return object.properties.filter(ts.isPropertyAssignment).map((property) => {
    const { type, notes } = typeOf(property.initializer);
    const comment = commentOf(source, property);
    const said = /\babsent\b/i.test(comment) ? [] : notes;
    const about = [comment, ...said].filter((text) => text !== '').join(' ');
    return [`\`${property.name.getText()}\``, type, about];
  });
}

/** The fields of `const NAME = z.object({…})`, or of `Other.extend({…})`. */
function objectIn(source: ts.SourceFile, name: string): ts.ObjectLiteralExpression | undefined {
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    const [declaration] = statement.declarationList.declarations;
    if (declaration?.name.getText() !== name || !declaration.initializer) continue;
    const call = declaration.initializer;
    const [fields] = ts.isCallExpression(call) ? call.arguments : [];
    if (fields && ts.isObjectLiteralExpression(fields)) return fields;
  }
  return undefined;
}

function commentOf(source: ts.SourceFile, node: ts.Node): string {
  const [last] = (ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []).slice(-1);
  const text = last ? source.text.slice(last.pos, last.end) : '';
  return text
    .replace(/^\/\*\*|\*\/$/g, '')
    .replace(/\n\s*\*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

const PLAIN: readonly (readonly [begin: RegExp, type: string])[] = [
  [/^z\.string\(/, 'text'],
  [/^(z\.int\(|z\.number\(\)\.int\(|count|decidedAt|time)/, 'whole number'],
  [/^z\.number\(/, 'number'],
  [/^z\.boolean\(/, 'true or false'],
  [/^(z\.record|z\.object|z\s)/, 'object'],
];

function typeOf(schema: ts.Expression): { readonly type: string; readonly notes: readonly string[] } {
  const text = schema.getText().replace(/\s+/g, ' ');
  const calls = new Map(callsOf(schema));
  const literal = /^z\.literal\(([^)]*)\)/.exec(text)?.[1];
  const choices = /^z\.enum\(\[([^\]]*)\]/.exec(text)?.[1];
  const item = /^(?:listOf|list|z\.array)\(\s*(\w+)/.exec(text)?.[1];
  const named = /^[A-Z]\w*/.exec(text)?.[0];
  const type =
    literal !== undefined
      ? `\`${literal}\``
      : choices !== undefined
        ? choices.replaceAll("'", '`')
        : /^(listOf|list|z\.array)\(/.test(text)
          ? `list${item && item !== 'z' ? ` of \`${item}\`` : ''}`
          : (PLAIN.find(([begin]) => begin.test(text))?.[1] ?? (named ? `\`${named}\`` : 'object'));
  const fallback = calls.get('default');
  return {
    type: calls.has('nullable') || calls.has('nullish') ? `${type} or null` : type,
    notes: [
      ...(calls.has('optional') || calls.has('nullish') ? ['May be absent.'] : []),
      ...(fallback !== undefined ? [`Absent: \`${fallback.replaceAll("'", '') || 'empty'}\`.`] : []),
    ],
  };
}

/** The calls of a chain such as `z.string().max(9).optional()`, from the last, with what they are given. */
function callsOf(schema: ts.Expression): [name: string, given: string][] {
  if (!ts.isCallExpression(schema) || !ts.isPropertyAccessExpression(schema.expression)) return [];
  const { name, expression } = schema.expression;
  return [[name.text, schema.arguments.map((each) => each.getText()).join()], ...callsOf(expression)];
}

if (import.meta.main) writeFileSync(FILE, withFields(readFileSync(FILE, 'utf8')));
