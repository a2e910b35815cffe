"""An address and settings → parts and services; the only importer of backends and models."""

from .engine_probes import ChatProbe as ChatProbe
from .engine_probes import EngineProbe as EngineProbe
from .engine_probes import probe_cache as probe_cache
from .engine_probes import probe_chat as probe_chat
from .engine_probes import probe_files as probe_files
from .folder_parts import memory_owner as memory_owner
from .folder_parts import not_of_the_owner as not_of_the_owner
from .folder_parts import unwritable_folder as unwritable_folder
from .models import choose_embedder as choose_embedder
from .models import evaluation_chat as evaluation_chat
from .parts import begin_copy as begin_copy
from .parts import build as build
from .parts import can_only_be_read as can_only_be_read
from .parts import give_up_copy as give_up_copy
from .parts import has_memory as has_memory
from .parts import key_document as key_document
from .parts import own_entries as own_entries
from .parts import probe_database as probe_database
from .parts import readable_by_others as readable_by_others
