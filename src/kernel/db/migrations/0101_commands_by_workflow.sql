-- What waits to be told of a workflow is found by its id: to withdraw it, and to tell nothing twice.
create index workflow_commands_workflow on workflow_commands (workflow_id);
