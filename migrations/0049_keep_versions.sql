-- Up Migration

-- Adds the versions of the conversations that started before migration 48, which blocks no writer. The tool calls of a
-- transcript tell which versions took part by a handoff; earlier releases have named the last one in the conversation too.
insert into conversation_versions (agent_id, version, conversation_id, is_handoff)
select agent_id, agent_version, id, false from conversations where not test
    on conflict do nothing;

insert into conversation_versions (agent_id, version, conversation_id, is_handoff)
select speaker_agent_id, speaker_version, id, true from conversations
 where not test and speaker_agent_id is not null and speaker_version is not null
    on conflict do nothing;

insert into conversation_versions as v (agent_id, version, conversation_id, is_handoff, has_tool_calls)
select distinct t.agent_id, t.agent_version, c.id, (c.agent_id, c.agent_version) <> (t.agent_id, t.agent_version), true
  from turns t join conversations c on c.id = t.conversation_id and not c.test
 where t.role = 'tool' and t.agent_id is not null and t.agent_version is not null
    on conflict (agent_id, version, conversation_id) do update set has_tool_calls = true where not v.has_tool_calls;
