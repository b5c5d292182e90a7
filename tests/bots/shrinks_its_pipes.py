import fcntl

from honest import play

F_SETPIPE_SZ = 1031
for descriptor in range(3):
    fcntl.fcntl(descriptor, F_SETPIPE_SZ, 4096)
play()
