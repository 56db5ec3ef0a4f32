import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const source = resolve(import.meta.dirname, '../../src');

/** What a file loads as it is loaded itself: imports that are neither of types alone nor made later. */
function loadedBy(file: string): string[] {
  const { statements } = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  return statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const isType = ts.isImportDeclaration(statement) ? isOfTypes(statement.importClause) : statement.isTypeOnly;
    const { moduleSpecifier } = statement;
    return isType || !moduleSpecifier || !ts.isStringLiteral(moduleSpecifier) ? [] : [moduleSpecifier.text];
  });
}

function isOfTypes(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  const { isTypeOnly, name, namedBindings } = clause;
  if (isTypeOnly) return true;
  return (
    name === undefined &&
    namedBindings !== undefined &&
    ts.isNamedImports(namedBindings) &&
    namedBindings.elements.every((each) => each.isTypeOnly)
  );
}

function reachedFrom(entry: string): { readonly files: Set<string>; readonly packages: Set<string> } {
  const [files, packages] = [new Set<string>(), new Set<string>()];
  const visit = (file: string): void => {
    if (files.has(file) || !file.endsWith('.ts')) return;
    files.add(file);
    for (const target of loadedBy(file)) {
      if (target.startsWith('.')) visit(resolve(dirname(file), target));
      else packages.add(target);
    }
  };
  visit(entry);
  return { files, packages };
}

describe('without a studio', () => {
  it.each([
    'cli/main.ts',
    'main/index.ts',
    'main/engine-process.ts',
    'engine/engine.ts',
    'cli/commands/studio.ts',
    'cli/commands/worker.ts',
    'cli/commands/run.ts',
  ])('nothing of it is loaded by %s, nor a database driver', (entry) => {
    const { files, packages } = reachedFrom(join(source, entry));
    expect(files.size).toBeGreaterThan(3);
    expect([...files].map((file) => relative(source, file)).filter((file) => file.startsWith('studio/'))).toEqual([]);
    expect([...packages].filter((name) => /^pg(?:-|$)/.test(name))).toEqual([]);
  });

  it('and with one, pg-boss is loaded by what makes a studio alone', () => {
    expect([...reachedFrom(join(source, 'studio/database.ts')).packages]).toContain('pg');
    expect([...reachedFrom(join(source, 'studio/database.ts')).packages]).not.toContain('pg-boss');
    expect([...reachedFrom(join(source, 'studio/schema/pg-boss.ts')).packages]).toContain('pg-boss');
  });
});
