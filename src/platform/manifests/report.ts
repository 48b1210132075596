/** Position in a manifest. `file` is the path as a user would type it. Lines and columns start at 1. */
export type ManifestPlace = { file: string; line: number; column: number };

/** A problem that a user has to fix. `field` is a path such as `spec.tools[0].url`. */
export type ManifestProblem = { place?: ManifestPlace; field?: string; detail: string };

/**
 * One-line message for the user. A problem is reported once, and again only if it disappears and returns. `text` is the
 * complete message: `file:line:column field: what to change`.
 */
export type ManifestReport = { level: 'info' | 'error'; text: string; place?: ManifestPlace };

export type ManifestReporter = {
  info: (text: string) => void;
  /** Receives all current problems, and reports those that are new. */
  problems: (problems: readonly ManifestProblem[]) => void;
};

export function createManifestReporter(report: (line: ManifestReport) => void): ManifestReporter {
  let known = new Set<string>();
  return {
    info: (text) => report({ level: 'info', text }),
    problems: (problems) => {
      const texts = new Set<string>();
      for (const problem of problems) {
        const text = formatProblem(problem);
        if (texts.has(text)) continue;
        texts.add(text);
        if (known.has(text)) continue;
        report({ level: 'error', text, ...(problem.place && { place: problem.place }) });
      }
      known = texts;
    },
  };
}

function formatProblem({ place, field, detail }: ManifestProblem): string {
  const where = place && formatPlace(place);
  const what = field ? `${field}: ${detail}` : detail;
  return where ? `${where} ${what}` : what;
}

export function formatPlace({ file, line, column }: ManifestPlace): string {
  return `${file}:${line}:${column}`;
}

/** Converts `/spec/tools/0/name` to `spec.tools[0].name`. */
export function formatPointer(pointer: string): string {
  return splitPointer(pointer).reduce((path, part) => {
    if (/^\d+$/.test(part)) return `${path}[${part}]`;
    if (!/^[\w$-]+$/.test(part)) return `${path}[${JSON.stringify(part)}]`;
    return path ? `${path}.${part}` : part;
  }, '');
}

/** Splits a JSON Pointer (RFC 6901). */
export function splitPointer(pointer: string): string[] {
  const [, ...parts] = pointer.split('/');
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
