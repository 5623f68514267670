"""Tables that lsblk 2.38.1 printed: over a /sys made for it (--sysroot), and of a file on loop0.

Blanks at the ends of lines are left out, as pasting does it. WSL is the table of article 000.
"""

# lsblk -o NAME,TYPE,TRAN,ROTA,SIZE,MODEL,MOUNTPOINTS
DISKS = """\
NAME        TYPE TRAN   ROTA   SIZE MODEL                   MOUNTPOINTS
sda         disk           1   1.8T WDC WD20EZRZ
└─sda1      part           1   1.8T
  └─data    lvm            1   100M                         /mnt/usb/lv
sdb         disk sata      0 465.8G Samsung SSD 860         /mnt/ssd
sdc         disk sata      0 465.8G QEMU HARDDISK           /mnt/vm
sdd         disk usb       1     1T Portable SSD T5         /srv/x
                                                            /mnt/usb
nvme0n1     disk nvme      0 931.5G Samsung SSD 980 PRO 1TB
├─nvme0n1p1 part nvme      0   512M                         /boot/efi
└─nvme0n1p2 part nvme      0   931G                         /
"""

# lsblk
DEFAULT = """\
NAME        MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS
sda           8:0    0   1.8T  0 disk
└─sda1        8:1    0   1.8T  0 part
  └─data    253:0    0   100M  0 lvm  /mnt/usb/lv
sdb           8:16   0 465.8G  0 disk /mnt/ssd
sdc           8:32   0 465.8G  0 disk /mnt/vm
sdd           8:48   0     1T  0 disk /srv/x
                                      /mnt/usb
nvme0n1     259:0    0 931.5G  0 disk
├─nvme0n1p1 259:1    0   512M  0 part /boot/efi
└─nvme0n1p2 259:2    0   931G  0 part /
"""

# lsblk -i -o MODEL,SIZE,NAME,TRAN,MOUNTPOINTS,PKNAME
ODD = """\
MODEL                     SIZE NAME        TRAN   MOUNTPOINTS PKNAME
WDC WD20EZRZ              1.8T sda
                          1.8T `-sda1                         sda
                          100M   `-data           /mnt/usb/lv sda1
Samsung SSD 860         465.8G sdb         sata   /mnt/ssd
QEMU HARDDISK           465.8G sdc         sata   /mnt/vm
Portable SSD T5             1T sdd         usb    /srv/x
                                                  /mnt/usb
Samsung SSD 980 PRO 1TB 931.5G nvme0n1     nvme
                          512M |-nvme0n1p1 nvme   /boot/efi   nvme0n1
                          931G `-nvme0n1p2 nvme   /           nvme0n1
"""

# lsblk, and its -o MOUNTPOINTS,NAME,TYPE,PKNAME,ROTA,MODEL,SIZE
LOOP = """\
NAME  MAJ:MIN RM  SIZE RO TYPE MOUNTPOINTS
loop0   7:0    0   40M  0 loop /mnt/b
                               /mnt/a
zram0 253:0    0    0B  0 disk
vda   254:0    0  256G  0 disk /
"""
LOOP_FIRST = """\
MOUNTPOINTS NAME  TYPE PKNAME ROTA MODEL  SIZE
/mnt/b      loop0 loop           1         40M
/mnt/a
            zram0 disk           0          0B
/           vda   disk           1        256G
"""

WSL = """\
NAME MAJ:MIN RM   SIZE RO TYPE MOUNTPOINTS
sda    8:0    0 363.3M  1 disk
sdb    8:16   0     2G  0 disk [SWAP]
sdc    8:32   0     1T  0 disk /snap
                               /mnt/wslg/distro
                               /
sdd    8:48   0     1T  0 disk
"""
