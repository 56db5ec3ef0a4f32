import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

/** One module that a file names. `target` is the file below the root it leads to, or the package as it is named. */
export interface Import {
  readonly file: string;
  readonly target: string;
}

/** Text by path below the root, with `/` between names. */
export type Sources = ReadonlyMap<string, string>;

export function readSources(root: string): Sources {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.(ts|svelte)$/.test(file));
  return new Map(files.map((file) => [file.replaceAll('\\', '/'), readFileSync(join(root, file), 'utf8')]));
}

/**
 * Every module each file names: imports, type imports, re-exports, `import()` in code and in types, `require`,
 * files found by a pattern (`import.meta.glob`) and threads (`threadFile`, `new Worker(new URL(…))`).
 */
export function importsOf(sources: Sources): Import[] {
  return [...sources].flatMap(([file, text]) =>
    scriptsOf(file, text)
      .flatMap(modulesNamedIn)
      .flatMap((name) => targetsOf(sources, file, name))
      .map((target) => ({ file, target })),
  );
}

/** Groups of files that import each other in a circle. Each is sorted; a file alone is no circle. */
export function circles(sources: Sources, imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ file }) => file);
  const reached = new Map<string, ReadonlySet<string>>();
  const reachedFrom = (start: string): ReadonlySet<string> => {
    const known = reached.get(start);
    if (known) return known;
    const found = new Set<string>();
    const open = [start];
    for (let file = open.pop(); file !== undefined; file = open.pop())
      for (const { target } of targets.get(file) ?? [])
        if (!found.has(target)) {
          found.add(target);
          open.push(target);
        }
    reached.set(start, found);
    return found;
  };
  const inCircles = [...sources.keys()].filter((file) => reachedFrom(file).has(file));
  const groups = inCircles.map((file) =>
    inCircles.filter((other) => reachedFrom(file).has(other) && reachedFrom(other).has(file)),
  );
  return [...new Map(groups.map((group) => [group.toSorted().join(), group.toSorted()])).values()];
}

/** The scripts of a file: itself, or those of a component. */
export const scriptsOf = (file: string, text: string): string[] =>
  file.endsWith('.svelte')
    ? [...text.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, code = '']) => code)
    : [text];

function modulesNamedIn(code: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      names.push((node.moduleSpecifier as ts.StringLiteral).text);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      names.push((node.argument.literal as ts.StringLiteral).text);
    }
    if (ts.isCallExpression(node) && /^(import|require)$/.test(node.expression.getText())) {
      const [argument] = node.arguments;
      if (argument && ts.isStringLiteral(argument)) names.push(argument.text);
    }
    if (ts.isCallExpression(node)) names.push(...foundByPattern(node), ...threadsNamedIn(node));
    if (ts.isNewExpression(node) && node.expression.getText() === 'URL' && isWorker(node.parent)) {
      names.push(...textsIn(node.arguments?.[0]));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true));
  return names;
}

const foundByPattern = ({ expression, arguments: [patterns] }: ts.CallExpression): string[] =>
  expression.getText() === 'import.meta.glob' ? textsIn(patterns) : [];

const threadsNamedIn = ({ expression, arguments: [name] }: ts.CallExpression): string[] =>
  expression.getText() === 'threadFile' ? textsIn(name).map((text) => `./${text}.ts`) : [];

const isWorker = (node: ts.Node): boolean => ts.isNewExpression(node) && node.expression.getText().endsWith('Worker');

/** The texts of an argument: one, or a list of them. */
function textsIn(argument: ts.Expression | undefined): string[] {
  if (argument && ts.isArrayLiteralExpression(argument)) return argument.elements.flatMap(textsIn);
  return argument && ts.isStringLiteralLike(argument) ? [argument.text] : [];
}

/** Every file that a pattern finds; a name leads to one. */
function targetsOf(sources: Sources, file: string, name: string): string[] {
  const target = resolved(sources, file, name);
  return name.includes('*') ? [...sources.keys()].filter((path) => posix.matchesGlob(path, target)) : [target];
}

function resolved(sources: Sources, file: string, name: string): string {
  if (!name.startsWith('.')) return name;
  const path = posix.normalize(`${dirname(file)}/${name.replace(/\?.*$/, '')}`);
  return [path, `${path}.ts`, `${path}.svelte.ts`].find((each) => sources.has(each)) ?? path;
}
