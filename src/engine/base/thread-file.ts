/** The file of a thread: beside the source that starts it; in the build, beside the entries of the hosts. */
export function threadFile(name: string, startedBy: string): URL {
  return startedBy.endsWith('.ts')
    ? new URL(`./${name}.ts`, startedBy)
    : new URL(startedBy.replace(/(?:\/chunks)?\/[^/]+$/, `/${name}.js`));
}
