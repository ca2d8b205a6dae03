// One line for each check, in the form that `run` counts.

/** Runs `work` and prints ok with what it returned, or FAILED with what it threw. */
export async function report(label, work) {
  try {
    const remark = await work();
    console.log(`ok     ${label}${remark ? `: ${remark}` : ''}`);
  } catch (error) {
    console.log(`FAILED ${label}`);
    console.log(`    ${[error.stack ?? error, causeOf(error), error.stdout ?? ''].filter(Boolean).join('\n').replaceAll('\n', '\n    ')}`);
    process.exitCode = 1;
  }
}

/** oauth4webapi puts the body of a refusal, or its challenges, into the cause. */
const causeOf = ({ cause }) => cause?.stack ?? (cause ? JSON.stringify(cause) : '');
