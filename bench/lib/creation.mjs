// @ts-check
/** How the log of a task begins. @param {string} title */
export function creation(title) {
  const payload = {
    kind: "task",
    title,
    description: "",
    topology: "squad",
    parent: null,
    contract: null,
    contract_data: null,
  };
  return { type: "task.created", payload: { ...payload, message: "Created." } };
}
